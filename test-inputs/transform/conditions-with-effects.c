// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// An inner loop's condition is computed once more than its body runs: where that has an effect, the loop is left alone.

void stores(int n, int m, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; A[i * (m + 1) + j] = 5, j < m; ++j)
      A[i * (m + 1) + j] += j;
}

void counts(int n, int m, float *restrict A, int *restrict R) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; ({
           _Pragma("omp atomic") R[0] += 1;
           j < m;
         });
         ++j)
      A[i * m + j] += 2;
}

void reads(int n, int m, float *restrict A, const float *restrict B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float t;
    for (int j = 0; t = B[j & 7], j < m; ++j)
      A[i * m + j] += t;
  }
}

// CHECK: region 'stores'
// CHECK: transformation left threads i j
// CHECK-NEXT: because 'the loop{{.*}}s condition has effects'
// CHECK: region 'counts'
// CHECK: transformation left threads i j
// CHECK-NEXT: because 'the loop{{.*}}s condition has effects'
// CHECK: region 'reads'
// CHECK: transformation possible threads i j
