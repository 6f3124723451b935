// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Numbers of iterations of two types, and loops that go downward, end where they meet a number, or begin and step as parameters say: variables may
// wrap around, and loops may run backwards or without end.

#define REGION _Pragma("omp target teams distribute parallel for")

void wide_around_narrow(long n, int m, float *A) {
  REGION
  for (long i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void narrow_around_wide(int n, long m, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void downward(int n, int m, float *A) {
  REGION
  for (int i = n - 1; i >= 0; --i)
    for (int j = m; j-- > 0;)
      A[i * m + j] += 1;
}

void until_equal(int n, int m, float *A) {
  REGION
  for (int i = 0; i != n; ++i)
    for (int j = 0; j != m; ++j)
      A[i * m + j] += 1;
}

void by_steps(int n, int m, int s, float *A) {
  REGION
  for (int i = 0; i < n; i += 3)
    for (int j = 1; j <= m; j += s)
      A[i * m + j] += 1;
}

void between_parameters(int n, int m, int q, float *A) {
  REGION
  for (int i = q; i < n; ++i)
    for (int j = q; j < m - q; ++j)
      A[i * m + j] += 1;
}

// CHECK: region 'wide_around_narrow'
// CHECK: transformation possible threads i j
// CHECK: region 'narrow_around_wide'
// CHECK: transformation possible threads i j
// CHECK: region 'downward'
// CHECK: transformation possible threads i j
