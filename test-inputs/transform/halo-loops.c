// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device -fwrapv %s | %analyse | %FileCheck %s --check-prefix=WRAPS
// RUN: %ipda-oracle transform %s
//
// Loops of cells with ghost cells around: they begin and end a few cells off. Before threads begin, clang compares the first number with the last;
// sums with a sign do not wrap there, so that how often the loop runs is exact, and OpenMP leaves it open what happens where that does not fit in
// the variable's type. Sums without sign wrap, and with -fwrapv all do: there nothing is known.
//
// ARGS: x_min: 2
// ARGS: x_max: 27
// ARGS: y_min: 2
// ARGS: y_max: 20

#define REGION _Pragma("omp target teams distribute parallel for")
#define CELL(f, k, j) f[((k) - (y_min - 2)) * (x_max - x_min + 5) + ((j) - (x_min - 2))]
#define FACE(f, k, j) f[((k) - (y_min - 2)) * (x_max - x_min + 6) + ((j) - (x_min - 2))]

void volumes(int x_min, int x_max, int y_min, int y_max, const double *flux, double *volume) {
  int j, k;
#pragma omp target teams distribute parallel for private(j, k)
  for (k = y_min - 2; k <= y_max + 2; k++)
    for (j = x_min - 2; j <= x_max + 2; j++)
      CELL(volume, k, j) = 1 + FACE(flux, k, j + 1) - FACE(flux, k, j);
}

// CHECK: region 'volumes'
// CHECK: loop0 distribute-parallel-for k {{.*}}trips [y_max] - [y_min] + 5 schedule
// CHECK: address [flux] - 8*#k*[x_min] + 8*#k*[x_max] + 48*#k + 8*#j + 8
// CHECK: stride symbolic -8*[x_min] + 8*[x_max] + 48 class symbolic
// CHECK: transformation possible threads k j
// WRAPS: region 'volumes'
// WRAPS: transformation left

// What is read depends on data, by one cell.
void upwind(int x_min, int x_max, int y_min, int y_max, const double *flux, const double *density, double *mass) {
  REGION
  for (int k = y_min; k <= y_max + 1; k++)
    for (int j = x_min; j <= x_max; j++) {
      int donor = FACE(flux, k, j) > 0 ? j - 1 : j;
      FACE(mass, k, j) = FACE(flux, k, j) * CELL(density, k, donor);
    }
}

// CHECK: region 'upwind'
// CHECK: transformation possible threads k j
// CHECK-NEXT: if 'flux and mass do not overlap'
// CHECK-NEXT: if 'density and mass do not overlap'

// A row needs the one before.
void downwards(int x_min, int x_max, int y_min, int y_max, double *density) {
  REGION
  for (int j = x_min; j <= x_max + 1; j++)
    for (int k = y_min; k <= y_max + 1; k++)
      CELL(density, k, j) += CELL(density, k - 1, j);
}

// CHECK: region 'downwards'
// CHECK: transformation {{left|best}}

// Bytes choose among 256 places, whatever they are.
void by_bytes(int n, int m, const unsigned char *of, const float *table, float *out) {
  REGION
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out[i * m + j] = table[of[i * m + j]];
}

// CHECK: region 'by_bytes'
// CHECK: transformation possible threads i j

// A collapsed loop's number has 64 bits, and may be as large as that says: from row 2^31 on, an element needs the one before.
void many_rows(int n, int m, float *x) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 4096; c++)
      for (int j = 1; j < m; j++) {
        long at = (long)i * 4096 + c;
        float *row = x + at * 8192;
        row[j] = row[j - 1 + 4096 - (at >> 31) * 4096] + 1;
      }
}

// CHECK: region 'many_rows'
// CHECK: transformation left threads
// CHECK: because {{.*}}flow dependence of x
