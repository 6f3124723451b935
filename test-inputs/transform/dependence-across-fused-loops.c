// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Vectors of dependences over (i, j, k) are (0, 1, 1) and (0, 1, -1): k carries nothing by itself, and yet with i and k fused the ends lie in
// different threads. With (0, 1, 0) k may go outward.

#define REGION _Pragma("omp target teams distribute parallel for")

void forward(int n, int m, int p, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 1; k < p; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k - 1] + 1;
}

void backward(int n, int m, int p, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p - 1; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k + 1] + 1;
}

void two_rows_at_once(int n, int m, int p, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m - 2; j += 2)
      for (int k = 1; k < p; ++k) {
        A[(i * m + j) * p + k] += 1;
        A[(i * m + j + 2) * p + k - 1] += 2;
      }
}

void straight(int n, int m, int p, float *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k] + 1;
}

// CHECK: region 'forward'
// CHECK: transformation {{left|best}}
// CHECK: region 'backward'
// CHECK: transformation {{left|best}}
// CHECK: region 'two_rows_at_once'
// CHECK: transformation {{left|best}}
// CHECK: region 'straight'
// CHECK: transformation possible threads i k
