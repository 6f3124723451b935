// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Bounds and steps of a loop that would come outward depend on the variable of one that it would pass: it does not run as often, or not
// for the same values. The last function has the same accesses in a rectangle.

#define REGION _Pragma("omp target teams distribute parallel for")

void bound_of_passed_loop(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < j; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k] + B[k];
}

void step_of_passed_loop(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p; k += j)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k] + B[k];
}

void start_of_passed_loop(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = j; k < p; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k] + B[k];
}

void bound_in_memory_that_is_stored_to(int n, int m, int p, int *A, const int *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < (B[i] & 31); ++k)
        A[(i * m + j) * p + k] += 1;
}

void rectangle(int n, int m, int p, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < p; ++k)
        A[(i * m + j) * p + k] = A[(i * m + j - 1) * p + k] + B[k];
}

// CHECK: region 'bound_of_passed_loop'
// CHECK: transformation {{left|best}}
// CHECK: region 'step_of_passed_loop'
// CHECK: transformation {{left|best}}
// CHECK: region 'start_of_passed_loop'
// CHECK: transformation {{left|best}}
// CHECK: region 'bound_in_memory_that_is_stored_to'
// CHECK: transformation {{left|best}}
// CHECK: region 'rectangle'
// CHECK: transformation possible threads i k
