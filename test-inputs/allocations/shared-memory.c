// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
//
// Where host and device share memory, a device may write the variables that hold pointers. What is handed over from hand to hand is known.
//
// CHECK: region 'of_file'
// CHECK: transformation left
// CHECK: region 'of_callers'
// CHECK: transformation possible
#include <stdlib.h>

#pragma omp requires unified_shared_memory

static double *x, *y;

static void of_file(long n, long m, const int *col) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

static void of_callers(long n, long m, const int *col, const double *from, double *to) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      to[i * m + j] = from[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = 100, m = 10;
  int *col = calloc(n * m, sizeof(int));
  x = malloc(n * m * sizeof(double)), y = malloc(n * m * sizeof(double));
  of_file(n, m, col);
  of_callers(n, m, col, malloc(n * m * sizeof(double)), malloc(n * m * sizeof(double)));
  return 0;
}
