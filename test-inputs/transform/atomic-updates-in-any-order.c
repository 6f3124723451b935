// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Atomic updates whose order is no obstacle: of one exact operation, of places where several threads meet as written, or in an order that the
// fused loops do not touch.
// ORACLE: depends on the launch: one_place, histogram

// The same numbers as integers: addition modulo 2^32 is exact.
void counts_of_rows(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'counts_of_rows'
// CHECK: transformation possible threads i j
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
// CHECK: transformation possible threads i j
// CHECK: because 'the order of atomic updates of c by max is not kept: their result is the same in any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic compare
      if (a[i * m + j] > c[i]) { c[i] = a[i * m + j]; }
    }
}

// Of two iterations and more, each may come first: there is no order. Of one, there is.
void one_place(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'one_place'
// CHECK: transformation possible threads i j
// CHECK: if '[n] >= 2'
// CHECK: because 'the order of atomic updates of c by float add is not kept: as written several threads may update one place, in any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[0] += a[i * m + j];
    }
}

void histogram(int n, int m, const int *restrict bin, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'histogram'
// CHECK: transformation possible threads i j
// CHECK: if '[n] >= 2'
// CHECK: because 'the order of atomic updates of c by float add is not kept: as written several threads may update one place, in any order'
#pragma omp target teams distribute parallel for map(to : bin[0 : n * m], a[0 : n * m]) map(tofrom : c[0 : 64])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[bin[i * m + j] & 63] += a[i * m + j];
    }
}

// Rows of ld elements do not overlap where ld >= m, which nothing says: then each place has one thread, which goes through k in order.
void rows_of_any_length(int n, int m, int p, int ld, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'rows_of_any_length'
// CHECK: transformation possible threads i j
// CHECK-NOT: because
#pragma omp target teams distribute parallel for map(to : a[0 : m * p]) map(tofrom : c[0 : n * ld])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[i * ld + j] += a[k * m + j] * i;
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
