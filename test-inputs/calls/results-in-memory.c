// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Functions that leave results where their arguments lead to. In variables of an iteration's own that is no matter; in an array it is a write like
// any other.

#define _GNU_SOURCE
#include <math.h>

#define REGION _Pragma("omp target teams distribute parallel for")

void own_variables(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double s, c, whole;
      int e, q;
      sincos(B[i * m + j], &s, &c);
      A[i * m + j] = s * c + modf(B[j], &whole) + whole + frexp(B[i * m + j], &e) + e + remquo(B[j], 3, &q) + q;
    }
}

// Declared outside of the loop, they are still each thread's own, and written before they are read.
void declared_outside(int n, int m, float *A, const float *B) {
  float s, c;
#pragma omp target teams distribute parallel for private(s, c)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      sincosf(B[i * m + j], &s, &c);
      A[i * m + j] = s + c;
    }
}

void between_loops(int n, int m, double *A, const double *B) {
  REGION
  for (int i = 0; i < n; ++i) {
    double s, c;
    sincos(B[i], &s, &c);
    for (int j = 0; j < m; ++j)
      A[i * m + j] = s * A[i * m + j] + c;
  }
}

// One place for each iteration of both loops.
void in_arrays(int n, int m, double *restrict S, double *restrict C, const double *restrict B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sincos(B[i * m + j], &S[i * m + j], &C[i * m + j]);
}

// Of all iterations of the inner loop, the last one's cosine must stay.
void overlapping(int n, int m, double *restrict S, double *restrict C, const double *restrict B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sincos(B[i * m + j], &S[i * m + j], &C[i]);
}

// What an iteration leaves, the next one reads.
void handed_on(int n, int m, double *restrict W, const double *restrict B) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      W[i * (m + 1)] += modf(B[i * m + j], &W[i * (m + 1) + j + 1]) + W[i * (m + 1) + j];
}

// remquo need not write: what was there before the iteration may be read.
void may_not_write(int n, int m, double *A, const double *B) {
  int q = 7;
#pragma omp target teams distribute parallel for firstprivate(q)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = remquo(B[i * m + j], B[j], &q) + q;
}

// CHECK: region 'own_variables'
// CHECK: transformation possible threads i j
// CHECK: region 'declared_outside'
// CHECK: transformation possible threads i j
// CHECK: region 'between_loops'
// CHECK: transformation possible threads i j
// CHECK: region 'in_arrays'
// CHECK: store S 8 bytes
// CHECK: store C 8 bytes
// CHECK: transformation possible threads i j
// CHECK: region 'overlapping'
// CHECK: transformation left
// CHECK: dependence of C
// CHECK: region 'handed_on'
// CHECK: transformation left
// CHECK: dependence of W
// CHECK: region 'may_not_write'
// CHECK: transformation left
