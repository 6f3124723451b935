// RUN: %ipda-oracle transform --optimised %s | %FileCheck %s
// CHECK: 1 transformed
// CHECK: 0 wrong
//
// What a restrict parameter of a function says holds for one call of it: of another pair of rows, the first may be what the second was here. Inlined into a
// loop, its accesses carry that, and no launch as a whole is held against it.
//
// ARGS: rows: 7
// ARGS: length: 5
#define ROW(p, i) ((p) + (i) * length)

static double apart(const double *restrict a, const double *restrict b, int length) {
  double sum = 0;
  for (int f = 0; f < length; ++f)
    sum += (a[f] - b[f]) * (a[f] - b[f]);
  return sum;
}

void distances(int rows, int length, const double *points, double *matrix) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : points[0 : rows * length]) map(from : matrix[0 : rows * rows])
  for (i = 0; i < rows; i++)
    for (j = 0; j < rows; j++)
      matrix[i * rows + j] = i == j ? 0 : apart(ROW(points, i), ROW(points, j), length);
}
