// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Counters of one type around those of another. Sizes of 64 bits are multiplied as if they had 32, which is tested.

#define REGION _Pragma("omp target teams distribute parallel for")

void long_around_size_t(long n, unsigned long m, float *A, const float *B) {
  REGION
  for (long i = 0; i < n; ++i)
    for (unsigned long j = 0; j < m; ++j)
      A[i * 64 + j] += B[i * 64 + j];
}

void size_t_around_int(unsigned long n, int m, float *A, const float *B) {
  REGION
  for (unsigned long i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j)
      A[i * 64 + j] += B[i * 64 + j];
}

void unsigned_around_long(unsigned n, long m, float *A, const float *B) {
  REGION
  for (unsigned i = 0; i < n; ++i)
    for (long j = m - 1; j >= 0; --j)
      A[i * 64 + j] += B[i * 64 + j];
}

void short_around_long(short n, long m, float *A, const float *B) {
  REGION
  for (short i = 0; i < n; ++i)
    for (long j = 2; j < m - 2; ++j)
      A[i * 64 + j] += B[i * 64 + j];
}

// What is read may lie in what is written, shifted by one: only where both are apart do the threads compute the same.
void shifted(long n, long m, float *A, const float *B) {
  REGION
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      A[i * 64 + j] = B[i * 64 + j] + 1;
}

// CHECK: region 'long_around_size_t'
// CHECK: transformation possible threads i j
// CHECK: if '{{.*}} <= m < 2^31'
// CHECK: region 'size_t_around_int'
// CHECK: transformation possible threads i j
// CHECK: region 'unsigned_around_long'
// CHECK: transformation possible threads i j
// CHECK: region 'short_around_long'
// CHECK: transformation possible threads i j
// CHECK: region 'shifted'
// CHECK: transformation possible threads i j
// CHECK: if 'B and A do not overlap'
