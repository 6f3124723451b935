// RUN: %compile-host %s > %t.host.bc
// RUN: %compile-host -DPLAIN %s > %t.plain.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.host.bc %analyse | %FileCheck %s
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.plain.bc %analyse | %FileCheck %s --check-prefix=PLAIN
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.none.bc %analyse | %FileCheck %s
// RUN: echo garbage > %t.broken.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.broken.bc %analyse | %FileCheck %s
// RUN: head -c 3000 %t.plain.bc > %t.short.bc
// RUN: %compile-device %s | env IPDA_HOST_CODE=%t.short.bc %analyse | %FileCheck %s
//
// A program may put the same memory of the device behind two arrays; and without a module of the host that can be read, nothing is shown, and
// nothing said.
//
// CHECK-NOT: rror
// CHECK: transformation left
// PLAIN: transformation possible
#include <stdlib.h>

int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int);

static void gather(long n, long m, const int *col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = 100, m = 10;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(n * m * sizeof(double)), *b = malloc(n * m * sizeof(double));
#ifndef PLAIN
  omp_target_associate_ptr(a, argv, n * m * sizeof(double), 0, 0);
  omp_target_associate_ptr(b, argv, n * m * sizeof(double), 0, 0);
#endif
  gather(n, m, col, a, b);
  return 0;
}
