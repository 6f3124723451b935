// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// What is stored to is found by fewer variables than there are loops: all iterations of the others come to the same place, and the last one
// is what stays, or what another one finds there.

#define REGION _Pragma("omp target teams distribute parallel for")

void last_one_stays(int n, int m, int p, float *C, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        C[i * p + k] = B[j * p + k];
}

void row_used_as_a_buffer(int n, int m, int p, float *A, float *T, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      for (int k = 0; k < p; ++k)
        T[i * p + k] = B[j * p + k];
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] = T[i * p + p - 1 - k];
    }
}

void every_second_time(int n, int m, int p, float *C, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        C[i * m + (j + k) / 2] += B[j * p + k];
}

void all_variables(int n, int m, int p, float *C, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        C[(i * m + j) * p + k] = B[j * p + k];
}

// CHECK: region 'last_one_stays'
// CHECK-NOT: transformation {{possible|done}} threads i j
// CHECK: region 'row_used_as_a_buffer'
// CHECK-NOT: transformation {{possible|done}} threads i j
// CHECK: region 'every_second_time'
// CHECK: transformation {{left|best}}
// CHECK: region 'all_variables'
// CHECK: transformation possible threads i j k
