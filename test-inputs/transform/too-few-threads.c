// Either way a warp touches as much. Fused, the loops have threads enough for a device, so that is done where n alone is too little.
// RUN: %device | %FileCheck %s

void transpose(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[j * n + i] = A[i * m + j];
}

// CHECK: transformation possible threads i j
// CHECK: if 'n <= 67583'
