// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.c && cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda explain a.c:19 --report a.yaml | %FileCheck %s --check-prefix=HELP
// RUN: cd %t && %ipda explain a.c:29 --report a.yaml | %FileCheck %s --check-prefix=BREAK
//
// An inner loop whose bound is a conditional expression with a quotient, as generators of tiled code write it: the loop is not left early, but its condition
// has branches. In a variable before the loop, the same bound is one.
//
// HELP: in the way {{ *}}how often the loop runs is not known before it begins: its condition has branches in it, as
// HELP: what helps {{.*}}the comparison: what it is compared with, in a variable before
// BREAK: in the way {{ *}}how often the loop runs is not known before it begins: it can be left early

#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))

void in_condition(int n, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= floord(n - 2, 16); j++)
      a[i * n + j] *= 2;
}

// CHECK: region 'in_condition'
// CHECK: because 'how often the loop runs is not known before it begins: its condition has branches in it, as ?: has'

void broken_off(int n, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (a[i * n + j] < 0)
        break;
      a[i * n + j] *= 2;
    }
}

// CHECK: region 'broken_off'
// CHECK: it can be left early

void before_loop(int n, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++) {
    int last = floord(n - 2, 16);
    for (int j = 0; j <= last; j++)
      a[i * n + j] *= 2;
  }
}

// CHECK: region 'before_loop'
// CHECK: transformation possible threads i j
