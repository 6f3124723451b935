// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// The loops inside carry nothing as long as the arrays lie apart: that is asked when the kernel begins. In the last function they are one.

#define REGION _Pragma("omp target teams distribute parallel for")

void shifted_copy(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * (m + 2) + j] = B[i * (m + 2) + j] + 1;
}

void sum_of_rows(int n, int m, float *A, const float *B, const float *C) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = B[i * m + j] + C[j];
}

void one_array(int n, int m, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * (m + 2) + j + 1] = A[i * (m + 2) + j] + 1;
}

// CHECK: region 'shifted_copy'
// CHECK: transformation possible threads i j
// CHECK: if '{{.*}}do not overlap'
// CHECK: region 'sum_of_rows'
// CHECK: transformation possible threads i j
// CHECK: if '{{.*}}do not overlap'
// CHECK: region 'one_array'
// CHECK: transformation {{left|best}}
