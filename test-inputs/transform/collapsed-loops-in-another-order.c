// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Loops that a clause collapsed, in an order in which neighbouring threads are far apart: any order of them is as good for the program, and another
// one for the memory. Not so where a clause says which thread gets which iteration.
//
// ARGS: nx: 37
// ARGS: ny: 19
// ARGS: nz: 5

#define AT(f, x, y, z) f[((z) * ny + (y)) * nx + (x)]

void columns_first(int nx, int ny, int nz, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      for (int z = 0; z < nz; z++)
        AT(b, x, y, z) = 2 * AT(a, x, y, z);
}

// CHECK: region 'columns_first'
// CHECK: transformation possible threads

// Without an inner loop.
void transposed(int nx, int ny, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      b[y * nx + x] = a[y * nx + x] + 1;
}

// CHECK: region 'transposed'
// CHECK: transformation possible threads {{y, x|y x|part}}

// Three loops with ghost cells, C89 counters.
void three(int nx, int ny, int nz, const double *restrict a, double *restrict b) {
  int x, y, z;
#pragma omp target teams distribute parallel for collapse(3) private(x, y, z)
  for (x = 1; x < nx - 1; x++)
    for (y = 0; y < ny; y++)
      for (z = 0; z <= nz - 1; z++)
        AT(b, x, y, z) = AT(a, x - 1, y, z) + AT(a, x + 1, y, z);
}

// CHECK: region 'three'
// CHECK: transformation possible threads

// Best as it is.
void rows_first(int nx, int ny, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int y = 0; y < ny; y++)
    for (int x = 0; x < nx; x++)
      b[y * nx + x] = a[y * nx + x] + 1;
}

// CHECK: region 'rows_first'
// CHECK: transformation best

// The last iteration's number is used after the loop.
void last_one(int nx, int ny, float *restrict b, float *restrict end) {
  float last = 0;
#pragma omp target teams distribute parallel for collapse(2) lastprivate(last) map(tofrom : last)
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++) {
      last = b[y * nx + x] + x;
      b[y * nx + x] = last;
    }
  end[0] = last;
}

// CHECK: region 'last_one'
// CHECK-NOT: transformation possible

// Two threads may have one row between them, in the order that the clause says.
void by_a_schedule(int nx, int ny, float *restrict b, float *restrict c) {
#pragma omp target parallel
  {
#pragma omp for collapse(2) schedule(static, 1) nowait
    for (int x = 0; x < nx; x++)
      for (int y = 0; y < ny; y++)
        b[y * nx + x] = x + y;
#pragma omp for collapse(2) schedule(static, 1)
    for (int x = 0; x < nx; x++)
      for (int y = 0; y < ny; y++)
        c[y * nx + x] = b[y * nx + x] + 1;
  }
}

// CHECK: region 'by_a_schedule'
// CHECK-NOT: transformation possible

// A histogram: atomic updates in any order.
void bins(int nx, int ny, const unsigned char *restrict image, int *restrict count) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++) {
#pragma omp atomic update
      count[image[y * nx + x] & 7]++;
    }
}

// CHECK: region 'bins'
// CHECK: transformation possible

// A sum.
double sum(int nx, int ny, const double *restrict a) {
  double all = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : all) map(tofrom : all)
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      all += a[y * nx + x];
  return all;
}

// CHECK: region 'sum'
