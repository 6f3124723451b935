// REQUIRES: libomp-device-bc
// RUN: %ipda-oracle transform %s | %FileCheck %s
// CHECK: 2 kernels, 1 transformed
// CHECK: 0 wrong
//
// The oracle compiles for the host as clang's driver does, and hands that to the plugin. What no launch hands over it does not try: arrays that
// overlap, where the host's code shows that none do. In the other region it tries them.
//
// ARGS: n: 13
// ARGS: m: 11
// ARGS: col: { type: i32, count: 4096, fill: { modulo: 64 } }
#include <stdlib.h>

static void different(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = 2 * x[col[i * m + j]];
}

static void perhaps_one(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = 2 * x[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = 100, m = 10;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(n * m * sizeof(double)), *b = malloc(n * m * sizeof(double));
  different(n, m, col, a, b);
  perhaps_one(n, m, col, a, argc > 1 ? a : b);
  return 0;
}
