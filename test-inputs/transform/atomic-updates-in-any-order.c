// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Atomic updates whose order is no obstacle: of one exact operation, or in an order that the
// fused loops do not touch. With i as the fastest loop, neighbouring threads update different places, and do not wait for each other.

// The same numbers as integers: addition modulo 2^32 is exact.
void counts_of_rows(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'counts_of_rows'
// CHECK: transformation possible threads j i
// CHECK: because 'the order of atomic updates of c by add is not kept: their result is the same in any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i] -= a[i * m + j];
    }
}

void greatest_of_rows(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'greatest_of_rows'
// CHECK: transformation possible threads j i
// CHECK: because 'the order of atomic updates of c by max is not kept: their result is the same in any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic compare
      if (a[i * m + j] > c[i]) { c[i] = a[i * m + j]; }
    }
}

// The order of k is kept where i and j make the threads.
void planes_in_turn(int n, int m, int p, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'planes_in_turn'
// CHECK: transformation possible threads i j
// CHECK-NOT: because
#pragma omp target teams distribute parallel for map(to : a[0 : m * p]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[i * m + j] += a[k * m + j] * i;
      }
}

// One update a place: there is nothing to order.
void elements(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'elements'
// CHECK: transformation possible threads i j
// CHECK-NOT: because
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i * m + j] += a[i * m + j];
    }
}
// CHECK-NOT: because
