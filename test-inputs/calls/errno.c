// RUN: env IPDA_TEST_HOST_SHAPES=1 IPDA_TRANSFORM=report %clang -O2 -w -g %x86-offload --offload-device-only -c %s -o %t.o %load -Rpass-analysis=ipda -Rpass-missed=ipda -Rpass=ipda 2>&1 | %FileCheck %s
//
// Where C's own library is used, a call may set errno. Which iteration sets it first is no matter; but between loops, where each thread would
// make it again, such a call stays where it is. fabs sets nothing.

#include <math.h>

#define REGION _Pragma("omp target teams distribute parallel for")

void in_the_inner_loop(int n, int m, double *A, const double *B) {
// CHECK: errno.c:[[@LINE+2]]:{{.*}}could be collapsed
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = sqrt(B[i * m + j]);
}

void between_loops(int n, int m, double *A, const double *B) {
// CHECK: errno.c:[[@LINE+2]]:{{.*}}statements between the loops have effects
  REGION
  for (int i = 0; i < n; ++i) {
    double root = log(B[i]);
    for (int j = 0; j < m; ++j)
      A[i * m + j] *= root;
  }
}

void between_loops_without(int n, int m, double *A, const double *B) {
// CHECK: errno.c:[[@LINE+2]]:{{.*}}could be collapsed
  REGION
  for (int i = 0; i < n; ++i) {
    double root = fabs(B[i]);
    for (int j = 0; j < m; ++j)
      A[i * m + j] *= root;
  }
}
