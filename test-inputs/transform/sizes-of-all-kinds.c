// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Numbers of iterations of many types: products may be too large, two negative ones make a positive one, and variables may wrap around.

#define REGION _Pragma("omp target teams distribute parallel for")

void of_int(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void of_long(long n, long m, float *A) {
  REGION
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void of_size_t(unsigned long n, unsigned long m, float *A) {
  REGION
  for (unsigned long i = 0; i < n; ++i)
    for (unsigned long j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void of_unsigned(unsigned n, unsigned m, float *A) {
  REGION
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void of_short_and_char(short n, unsigned char m, float *A) {
  REGION
  for (short i = 0; i < n; ++i)
    for (unsigned char j = 0; j < m; ++j)
      A[i * 256 + j] += 1;
}

// CHECK: region 'of_int'
// CHECK: transformation possible threads i j
