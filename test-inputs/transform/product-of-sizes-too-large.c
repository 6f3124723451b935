// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Where i and k are fused, there are more iterations than 32 bits have numbers for, although the loop over j, which is around k, is empty and
// the program as written soon done. What stands before that loop must be done for each i.
//
// ARGS: n: 2
// ARGS: m: 1
// ARGS: p: 60000000

void sums_down_the_columns(int n, int m, int p, int *A, int *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n + 40; ++i) {
    C[i] = 1;
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] += A[(i * m + j - 1) * p + k];
  }
}

void nothing_before(int n, int m, int p, int *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n + 40; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] += A[(i * m + j - 1) * p + k];
}

// CHECK: region 'sums_down_the_columns'
// CHECK: region 'nothing_before'
// CHECK: transformation possible threads i k
// CHECK: if '{{.*}} < 2^31 - 2^20'
