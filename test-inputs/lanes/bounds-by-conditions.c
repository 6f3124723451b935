// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: rm -rf %t && mkdir %t && cp %s %t/a.c && cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda explain a.c:48 --report a.yaml | %FileCheck %s --check-prefix=HELP
// RUN: cd %t && %ipda explain a.c:58 --report a.yaml | %FileCheck %s --check-prefix=BREAK
//
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=JUDGE
// JUDGE: launches compared, 0 wrong
//
// An inner loop whose bound is a conditional expression with a quotient, as generators of tiled code write it. By a number, the quotient may be computed whichever
// way the condition takes. By a variable, it may not: the loop is not left early, but its condition has branches. Before the loop, the same bound is one.
//
// HELP: in the way {{ *}}how often the loop runs is not known before it begins: its condition has branches in it, as
// HELP: what helps {{.*}}the comparison: what it is compared with, in a variable before
// BREAK: in the way {{ *}}how often the loop runs is not known before it begins: it can be left early

#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))

#define ceild(n, d) (((n) < 0) ? -((-(n)) / (d)) : ((n) + (d) - 1) / (d))
#define max(x, y) ((x) > (y) ? (x) : (y))

void in_condition(int n, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= floord(n - 2, 16); j++)
      a[i * n + j] *= 2;
}

// CHECK: region 'in_condition'
// CHECK: loop1 in loop0 sequential j {{.*}} trips {{.*}}floor(([n] + 14) / 16)
// CHECK: transformation possible threads i j

// The transpose of a band, as a generator writes it: both bounds are quotients, and one of two.
void band(int n, double *restrict a, const double *restrict b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(to : b[0 : n * n])
  for (int t1 = 0; t1 < n; t1++)
    for (int t2 = ceild(n - 3, 4); t2 <= max(floord(n, 2), floord(3 * n - 4, 4)); t2++)
      a[t2 * n + t1] = b[t2 * n + t1];
}

// CHECK: region 'band'
// CHECK: loop1 in loop0 sequential t2 {{.*}} trips floor([n] / 2)
// CHECK: transformation possible threads t2 t1

void by_variable(int n, int size, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= floord(n - 2, size); j++)
      a[i * n + j] *= 2;
}

// CHECK: region 'by_variable'
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
