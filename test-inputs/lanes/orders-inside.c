// Loops that run in a thread change places, also where threads share the loop that they share as written: `i | k j` runs all columns for each k. What stands between
// the loops runs with the first k. Each place gets its sums in the order of k, as before.
// In the last one, k is not in the nest, as what it sums up is used behind it: the reason says so.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | env IPDA_MAPPING='i | k j' %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules --mapping 'i | k j' %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 3 kernels, 3 transformed; of these new code ran in 2,
// RUNS: launches compared, 0 wrong

// CHECK: region 'cleared'
// CHECK: transformation possible threads i | k sectors
void cleared(int n, int m, int p, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * p], B[0 : p * m]) map(tofrom : C[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      C[i * m + j] = 0;
      for (int k = 0; k < p; ++k)
        C[i * m + j] += A[i * p + k] * B[k * m + j];
    }
}

// CHECK: region 'perfect'
// CHECK: transformation possible threads i | k sectors
void perfect(int n, int m, int p, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * p], B[0 : p * m]) map(tofrom : C[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        C[i * m + j] += A[i * p + k] * B[k * m + j];
}

// CHECK: region 'summed'
// CHECK: is no mapping of its loops: there is no loop "k"; its nest is i, j: 
void summed(int n, int m, int p, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * p], B[0 : p * m]) map(tofrom : C[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < p; ++k)
        sum += A[i * p + k] * B[k * m + j];
      C[i * m + j] = sum;
    }
}
