// RUN: %compile-device %s | %dependences | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=CHANGED
//
// Rows of a number of elements that lie further apart than that: the place of element x is a function of the quotient and the rest of x by the row's
// length, by clang for a collapse clause or by the program itself. With a distance W of rows and a length L <= W, 0 <= x mod L < L, so that
// W*floor(x/L) + x mod L is another place for each x. In the twins rows overlap: the last element of one is the first of the next.

#define LENGTH 64
#define PADDED 65
#define TILE 8

// CHANGED: 10 kernels, 3 transformed
// CHANGED: launches compared, 0 wrong

void collapsed(int rows, const float *restrict in, float *restrict out) {
// CHECK-LABEL: dependences of region 'collapsed'
// CHECK-NEXT: loop0 shared row, column {{.*}}: parallel if in and out do not overlap{{$}}
#pragma omp target teams distribute parallel for collapse(2)
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < LENGTH; column++)
      out[row * PADDED + column] = in[row * LENGTH + column];
}

void collapsed_overlapping(int rows, const float *restrict in, float *restrict out) {
// CHECK-LABEL: dependences of region 'collapsed_overlapping'
// CHECK-NEXT: loop0 shared row, column {{.*}}: unknown: output dependence of out
#pragma omp target teams distribute parallel for collapse(2)
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < LENGTH; column++)
      out[row * (LENGTH - 1) + column] = in[row * LENGTH + column];
}

// As programs do it that count all elements.
void counted(int elements, const double *restrict in, double *restrict out) {
// CHECK-LABEL: dependences of region 'counted'
// CHECK-NEXT: loop0 shared x {{.*}}: parallel if in and out do not overlap{{$}}
  int x, k;
#pragma omp target teams distribute parallel for private(k)
  for (x = 0; x < elements; x++) {
    int row = x / LENGTH, column = x % LENGTH;
    for (k = 0; k < 4; k++)
      out[(row * PADDED + column) * 4 + k] = in[x * 4 + k];
  }
}

void counted_overlapping(int elements, const double *restrict in, double *restrict out) {
// CHECK-LABEL: dependences of region 'counted_overlapping'
// CHECK-NEXT: loop0 shared x {{.*}}: parallel if elements <= 64, in and out do not overlap{{$}}
  int x, k;
#pragma omp target teams distribute parallel for private(k) schedule(static)
  for (x = 0; x < elements; x++) {
    int row = x / LENGTH, column = x % LENGTH;
    for (k = 0; k < 4; k++)
      out[(row * (LENGTH - 1) + column) * 4 + k] = in[x * 4 + k];
  }
}

// A length and a distance of rows that are known when the kernel starts.
void collapsed_of_any_length(int rows, int length, int stride, float *out) {
// CHECK-LABEL: dependences of region 'collapsed_of_any_length'
// CHECK-NEXT: loop0 shared row, column {{.*}}: parallel if length <= stride{{$}}
#pragma omp target teams distribute parallel for collapse(2)
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < length; column++)
      out[row * stride + column] = column;
}

void collapsed_rows_of_100(int rows, int length, float out[][100]) {
// CHECK-LABEL: dependences of region 'collapsed_rows_of_100'
// CHECK-NEXT: loop0 shared row, column {{.*}}: parallel if length <= 100{{$}}
#pragma omp target teams distribute parallel for collapse(2)
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < length; column++)
      out[row][column + 1] = column;
}

// Three digits of one number, tiles in padded planes.
void tiles(int cells, const float *restrict in, float *restrict out) {
// CHECK-LABEL: dependences of region 'tiles'
// CHECK-NEXT: loop0 shared cell {{.*}}: parallel if in and out do not overlap{{$}}
#pragma omp target teams distribute parallel for
  for (int cell = 0; cell < cells; cell++) {
    int x = cell % TILE, y = cell / TILE % TILE, z = cell / (TILE * TILE);
    out[z * 90 + y * (TILE + 2) + x + 1] = in[cell];
  }
}

void tiles_overlapping(int cells, const float *restrict in, float *restrict out) {
// CHECK-LABEL: dependences of region 'tiles_overlapping'
// CHECK-NEXT: loop0 shared cell {{.*}}: parallel if cells <= 64, in and out do not overlap{{$}}
#pragma omp target teams distribute parallel for
  for (int cell = 0; cell < cells; cell++) {
    int x = cell % TILE, y = cell / TILE % TILE, z = cell / (TILE * TILE);
    out[z * 77 + y * (TILE + 2) + x + 1] = in[cell];
  }
}

// Elements that a thread visits one after the other, which may change places with the steps.
void elements_of_a_thread(int steps, int elements, const float *restrict by, float *restrict state) {
// CHECK-LABEL: dependences of region 'elements_of_a_thread'
// CHECK: loop1 in loop0 x {{.*}}: parallel if by and state do not overlap{{$}}
#pragma omp target teams distribute parallel for
  for (int step = 0; step < steps; step++)
    for (int x = 0; x < elements; x++)
      state[step * 65 * 64 + x / 64 % 64 * 65 + x % 64 + x / 4096 * 65 * 64 * steps] = by[x];
}

void elements_of_a_thread_meet(int steps, int elements, const float *restrict by, float *restrict state) {
// CHECK-LABEL: dependences of region 'elements_of_a_thread_meet'
// CHECK: loop1 in loop0 x {{.*}}: {{unknown|serial}}
#pragma omp target teams distribute parallel for
  for (int step = 0; step < steps; step++)
    for (int x = 0; x < elements; x++)
      state[step * 65 * 64 + x / 64 % 64 * 65 + x % 64] = by[x];
}
