// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Inner loops that begin where an outer one is.

void upper(int n, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      A[i * n + j] += i + 2.f * j;
}

void upper_of_blocks(int n, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = j; k < 6; ++k)
        A[(i * 6 + j) * 6 + k] += i + 2.f * k;
}

// CHECK: region 'upper'
// CHECK: transformation possible threads i j
// CHECK: region 'upper_of_blocks'
// CHECK: transformation possible threads i j k
