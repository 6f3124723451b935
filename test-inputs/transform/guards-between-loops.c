// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Conditions between the loops decide whether, and how often, the one inside runs. What they read may be stored to by that one.

#define REGION _Pragma("omp target teams distribute parallel for")

void of_the_outer_element(int n, int m, int p, int *A, const int *F) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (F[i * m + j] > 20)
        for (int k = 0; k < p; ++k)
          A[(i * m + j) * p + k] += k;
}

void of_what_the_loop_stores(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i)
    if (A[i * (m + 1)] < 100)
      for (int j = 0; j <= m; ++j)
        A[i * (m + 1) + j] = 100 + j;
}

void of_a_parameter(int n, int m, int q, int *A) {
  REGION
  for (int i = 0; i < n; ++i)
    if (i < q)
      for (int j = 0; j < m; ++j)
        A[i * m + j] += j;
}

void skipping(int n, int m, int *A, const int *F) {
  REGION
  for (int i = 0; i < n; ++i) {
    if (F[i] == 3)
      continue;
    for (int j = 0; j < m; ++j)
      A[i * m + j] += j;
  }
}

// CHECK: region 'of_the_outer_element'
// CHECK: region 'of_what_the_loop_stores'
// CHECK: transformation {{left|best}}
// CHECK: region 'of_a_parameter'
// CHECK: region 'skipping'
