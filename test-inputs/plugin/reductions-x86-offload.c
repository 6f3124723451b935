// Reductions on an offload target that is the host's processor, with threads that run at once: with and without fused loops, programs print
// the same. All sums are exact.
// RUN: %clang -O2 %x86-offload %s -o %t.written -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: env IPDA_TEST_HOST_SHAPES=1 %clang -O2 %x86-offload %load -Rpass=ipda %s -o %t.fused -L%llvm-lib -Wl,-rpath,%llvm-lib 2>&1 | %FileCheck %s
// RUN: env OMP_TARGET_OFFLOAD=MANDATORY %t.written > %t.expected
// RUN: env OMP_TARGET_OFFLOAD=MANDATORY %t.fused | diff %t.expected -

#include <stdio.h>
#include <stdlib.h>

static int sum(int n, int m, const int *B) {
  int s = 5;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s) map(to : B[:n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  return s;
}

static double sum_of_floats(int n, int m, const double *B) {
  double s = 5;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s) map(to : B[:n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  return s;
}

static int least(int n, int m, const int *B) {
  int s = 5000;
#pragma omp target teams distribute parallel for reduction(min : s) map(tofrom : s) map(to : B[:n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = s < B[i * m + j] ? s : B[i * m + j];
  return s;
}

static int between(int n, int m, const int *B, const int *x) {
  int s = 1;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s) map(to : B[:n * m], x[:n])
  for (int i = 0; i < n; ++i) {
    s += x[i];
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
    s -= 2;
  }
  return s;
}

int main(void) {
  const int sizes[][2] = {{0, 0}, {1, 1}, {3, 0}, {0, 3}, {1, 33}, {33, 1}, {31, 32}, {100, 57}, {500, 300}};
  for (int k = 0; k < 9; ++k) {
    int n = sizes[k][0], m = sizes[k][1];
    int *B = malloc(n * m * sizeof(int) + 1), *x = malloc(n * sizeof(int) + 1);
    double *D = malloc(n * m * sizeof(double) + 1);
    for (int i = 0; i < n * m; ++i)
      D[i] = B[i] = (i * 7919 + 13) % 1000;
    for (int i = 0; i < n; ++i)
      x[i] = i % 17;
    printf("%d %d: %d %g %d %d\n", n, m, sum(n, m, B), sum_of_floats(n, m, D), least(n, m, B), between(n, m, B, x));
  }
}

// CHECK-COUNT-4: collapsed the loops over
