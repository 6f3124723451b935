// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Statements beside the loop inside: what it overwrites, what it adds to, and what uses what it has made.

#define REGION _Pragma("omp target teams distribute parallel for")

void overwritten_inside(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    A[i * m] = 7;
    for (int j = 0; j < m; ++j)
      A[i * m + j] += j;
  }
}

void before_an_empty_loop(int n, int m, int p, int *A, int *C) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      C[i * m + j] = 1;
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] = k;
    }
}

void used_inside(int n, int m, int *A, int *C) {
  REGION
  for (int i = 0; i < n; ++i) {
    C[i] += 3;
    for (int j = 0; j < m; ++j)
      A[i * m + j] += C[i];
  }
}

void used_behind(int n, int m, int *A, int *C) {
  REGION
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      A[i * m + j] += j;
    C[i] = A[i * m] + A[i * m + m - 1];
  }
}

void counted_up(int n, int m, int *A, int *C) {
  REGION
  for (int i = 0; i < n; ++i) {
    int old = C[i];
    C[i] = old + 1;
    for (int j = 0; j < m; ++j)
      A[i * m + j] = old;
  }
}

void over_a_whole_row_first(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      A[i * m + j] = j;
    for (int j = 1; j < m; ++j)
      A[i * m + j] += A[i * m + m - 1 - j];
  }
}

// CHECK: region 'overwritten_inside'
// CHECK: region 'before_an_empty_loop'
// CHECK: region 'used_inside'
// CHECK: transformation {{left|best}}
// CHECK: region 'used_behind'
// CHECK: transformation {{left|best}}
// CHECK: region 'counted_up'
// CHECK: transformation {{left|best}}
// CHECK: region 'over_a_whole_row_first'
