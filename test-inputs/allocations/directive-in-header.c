// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
//
// Another file that includes the header has a kernel of the same name, and the linker keeps one: that other file may hand over one array twice.
//
// CHECK: region 'gather'
// CHECK: transformation left
// CHECK: region 'here'
// CHECK: transformation possible
#include "Inputs/gather.h"
#include <stdlib.h>

static void here(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = 100, m = 10;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(n * m * sizeof(double)), *b = malloc(n * m * sizeof(double));
  gather(n, m, col, a, b);
  here(n, m, col, a, b);
  return 0;
}
