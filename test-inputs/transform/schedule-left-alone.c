// A schedule clause says which iterations a thread gets, and in which order.
// RUN: %device | %FileCheck %s

void rows(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for schedule(static, 4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
}

// CHECK: transformation left
// CHECK-NEXT: because 'a schedule clause says which iterations a thread gets'
