// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Counters that begin elsewhere than at 0 or step over numbers: their trip counts are quotients, which the guard computes.

#define REGION _Pragma("omp target teams distribute parallel for")

void every_other(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; i += 2)
    for (int j = 1; j <= m; j += 3)
      A[i * 64 + j] += B[i * 64 + j];
}

void every_other_long(long n, long m, float *A, const float *B) {
  REGION
  for (long i = 0; i < n; i += 2)
    for (long j = 1; j <= m; j += 3)
      A[i * 64 + j] += B[i * 64 + j];
}

// The guard divides by the step, which has to be positive.
void by_a_parameter(int n, int m, int step, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; i += step)
    for (int j = 0; j < m; ++j)
      A[i * 64 + j] += B[i * 64 + j];
}

void between_parameters(long n, long m, long from, float *A, const float *B) {
  REGION
  for (long i = from; i < n; ++i)
    for (long j = from; j < m; ++j)
      A[i * 64 + j] += B[i * 64 + j];
}

// The next iteration reads what this one writes.
void carried(long n, long m, float *A) {
  REGION
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; j += 2)
      A[i * 64 + j] = A[i * 64 + j - 2] + 1;
}

// CHECK: region 'every_other'
// CHECK: transformation possible threads i j
// CHECK: region 'every_other_long'
// CHECK: transformation possible threads i j
// CHECK: region 'by_a_parameter'
// CHECK: transformation possible threads i j
// CHECK: if 'step >= 1'
// CHECK: region 'between_parameters'
// CHECK: transformation possible threads i j
// CHECK: region 'carried'
// CHECK-NOT: transformation possible
