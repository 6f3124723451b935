// An inner loop that adds up a value can be shared by the threads of a team. Updates of places that a list names are no sum, nor is a running sum, of
// which each iteration stores what there is so far.
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda report a.yaml | %FileCheck %s
// CHECK: What to do
// CHECK-DAG: a.c:[[#RUNNING:]]: let the threads of a team share the inner loop by parallel for reduction, if it adds up a value that is used
// CHECK-DAG: a.c:[[#SCATTERED:]]: bring another loop outward: iterations may need each other's results

void scattered(int n, int m, const int *restrict list, const float *restrict g, float *restrict s) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s[list[i * m + j]] += g[i * m + j];
}

void running(int n, int m, const float *restrict A, float *restrict sums) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j) {
      sum += A[i * m + j];
      sums[i * m + j] = sum;
    }
  }
}
