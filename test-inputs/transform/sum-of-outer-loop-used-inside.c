// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// A sum over a loop is used, half made, in the loop inside: neither loop can become threads. The last function makes the sum anew for each
// iteration.

#define REGION _Pragma("omp target teams distribute parallel for")

void used_before_it_is_made(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j) {
      sum += B[i * m + j];
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] = sum;
    }
  }
}

void carried_by_both(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k) {
        sum = sum + B[j * p + k];
        A[(i * m + j) * p + k] = sum;
      }
  }
}

void in_memory(int n, int m, int p, float *A, float *S, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k) {
        S[i] += B[j * p + k];
        A[(i * m + j) * p + k] = S[i];
      }
}

void made_anew(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < p; ++k)
        sum += B[k * m + j];
      A[i * m + j] = sum;
    }
}

// CHECK: region 'used_before_it_is_made'
// CHECK-NOT: transformation {{possible|done}} threads i j
// CHECK: region 'carried_by_both'
// CHECK: transformation {{left|best}}
// CHECK: region 'in_memory'
// CHECK: transformation {{left|best}}
// CHECK: region 'made_anew'
// CHECK: transformation possible threads {{i j|j i}}
