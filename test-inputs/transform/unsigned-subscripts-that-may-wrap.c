// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Unsigned subscripts may wrap around, and then lead anywhere in 16 GiB: that arrays lie apart can be determined only where nothing wraps, which the
// guard tests as well.

#define REGION _Pragma("omp target teams distribute parallel for")

void beside(unsigned n, unsigned m, float *A, const float *B) {
  REGION
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      A[i * 72 + j + 2] = B[i * 72 + j];
}

void counter_of_another_width(unsigned n, long m, float *A, const float *B) {
  REGION
  for (unsigned i = 0; i < n; ++i)
    for (long j = m - 1; j >= 0; --j)
      A[i * 64 + j] += B[i * 64 + j];
}

// It wraps around in its first iteration: to the end of the 16 GiB.
void below_zero(unsigned n, unsigned m, unsigned shift, float *A, const float *B) {
  REGION
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      A[i * 72 + j] = B[i * 72 + j + (unsigned)0x80000000 + shift - (unsigned)0x80000000];
}

// CHECK: region 'beside'
// CHECK: transformation possible threads i j
// CHECK: if '{{.*}} <= 4294967366'
// CHECK: if 'B and A do not overlap'
// CHECK: region 'counter_of_another_width'
// CHECK: transformation possible threads i j
// CHECK: if 'n <= 2^26'
// CHECK: if 'B and A do not overlap'
// CHECK: region 'below_zero'
