// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// With its headers, C's functions of mathematics are calls into the device's library, of which no more is declared than that they are device
// code. Of numbers they compute a number and do nothing else. Where one is handed an address, a second result is left there: the twin's is in the
// way of other iterations.

#include <math.h>

#define REGION _Pragma("omp target teams distribute parallel for")

void roots(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = sqrt(B[i * m + j]) + fabs(B[i * m + j] - 3);
}

void of_floats(int n, int m, float *A, const float *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = fmaxf(floorf(B[i * m + j]), 2) + expf(B[j]);
}

void between_loops(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    double scale = cos(B[i]);
    for (int j = 0; j < m; ++j)
      A[i * m + j] *= scale;
  }
}

// The fractional part of x is returned, the whole part stored.
void two_results(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double whole;
      A[i * m + j] = modf(B[i * m + j], &whole) + whole;
    }
}

void one_place_for_all(int n, int m, double *restrict A, const double *restrict B, double *restrict W) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = modf(B[i * m + j], &W[i]);
}

// CHECK: region 'roots'
// CHECK: transformation possible threads i j
// CHECK: region 'of_floats'
// CHECK: transformation possible threads i j
// CHECK: region 'between_loops'
// CHECK: transformation possible threads i j
// CHECK: region 'two_results'
// CHECK: transformation possible threads i j
// CHECK: region 'one_place_for_all'
// CHECK: transformation left
// CHECK: dependence of W

// The copies of a reduction may be made by fmax: it chooses as the clause does.
void largest(int n, int m, const double *B, double *out) {
  double most = 0;
#pragma omp target teams distribute parallel for reduction(max : most) map(tofrom : most)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      most = fmax(most, fabs(B[i * m + j]));
  *out = most;
}

// CHECK: region 'largest'
// CHECK: transformation possible threads i j

// It is not what the clause says.
void least_by_fmax(int n, int m, const double *B, double *out) {
  double most = 0;
#pragma omp target teams distribute parallel for reduction(min : most) map(tofrom : most)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      most = fmax(most, B[i * m + j]);
  *out = most;
}

// CHECK: region 'least_by_fmax'
// CHECK: transformation left

// In a loop of its own inside of a parallel region, whose bounds the runtime keeps in memory while the calls run.
void in_a_worksharing_loop(int n, int m, double *A, const double *B) {
#pragma omp target parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[i * m + j] = sqrt(B[i * m + j]);
  }
}

// CHECK: region 'in_a_worksharing_loop'
// CHECK: transformation possible threads i j
