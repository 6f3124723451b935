// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// The number of a thread's next iteration is one that the body may need, too: of the loop as it was written.

void in_teams(int l, int n, int m, int *A) {
#pragma omp target teams distribute
  for (int h = 0; h < l; ++h)
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      int next = i + 1;
      for (int j = 0; j < m; ++j)
        A[(h * n + i) * m + j] = next * 3;
    }
}

void of_neighbours(int n, int m, float *A, const float *B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * (m + 1) + j] = B[(i + 1) * (m + 1) + j] + B[i * (m + 1) + j + 1] + (i + 1);
}

// CHECK: region 'in_teams'
// CHECK: transformation possible threads i j
// CHECK: region 'of_neighbours'
// CHECK: transformation possible threads i j
