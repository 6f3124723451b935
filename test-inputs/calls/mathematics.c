// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s --check-prefix=HOST
// RUN: %ipda-oracle transform %s
//
// Functions of mathematics that few programs use: numbers make a number. On the host, they may set errno, and nothing else.

#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#define REGION _Pragma("omp target teams distribute parallel for")

void special(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double x = fabs(B[i * m + j]) / 16 + 1;
      A[i * m + j] = sinh(x) + tgamma(x) + logb(x) + j0(x) + y1(x) + nextafter(x, 2.0);
    }
}

void with_integers(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double x = B[i * m + j];
      A[i * m + j] = scalbn(x, 3) + jn(2, x) + lround(x) + llrint(x) + ilogb(fabs(x) + 1) + abs(j - 3) + labs(i - 2L);
    }
}

void of_floats(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = isnan(B[i * m + j]) || !isfinite(B[i * m + j]) ? 0 : ldexpf(fdimf(B[i * m + j], 1), 2);
}

// CHECK: region 'special'
// CHECK: transformation possible threads i j
// CHECK: region 'with_integers'
// CHECK: transformation possible threads i j
// CHECK: region 'of_floats'
// CHECK: transformation possible threads i j
// CHECK-NOT: reject

// HOST: region 'special'
// HOST-NOT: reject
// HOST: region 'with_integers'
// HOST-NOT: reject
// HOST: region 'of_floats'
// HOST-NOT: reject
