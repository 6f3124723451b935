// What the host's code shows of all callers is reported as a condition, for other callers may come: nothing is written unless that is asked for.
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c && cp %t/a.c %t/original.c
// RUN: cd %t && env IPDA_REPORT=a.yaml IPDA_REMARKS=here %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %not grep host %t/a.yaml -i -w -e '[^ ]*\.bc'
// RUN: cd %t && %ipda report a.yaml | %FileCheck %s --check-prefix=REPORT
// RUN: cd %t && %not %ipda fix a.yaml 2>&1 | %FileCheck %s
// RUN: cd %t && %not %ipda fix --guard a.yaml 2>&1 | %FileCheck %s --check-prefix=GUARD
// RUN: cd %t && cmp a.c original.c && %ipda fix --assume a.yaml && %FileCheck %s --check-prefix=ASSUMED < a.c
// REPORT: x and y are different arrays, as the host's code shows
// CHECK: right only where x and y are different arrays; --guard
// GUARD: `x and y are different arrays` cannot be tested there: what is touched of them is not known before it is
// ASSUMED: /* right only where x and y are different arrays */
// ASSUMED: collapse(2)

#include <stdlib.h>

static void gather(long n, long m, const int *restrict col, const double *x, double *y) {
#pragma omp target teams distribute parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j)
      y[i * m + j] = x[col[i * m + j]];
}

int main(int argc, char **argv) {
  const long n = 100, m = 10;
  int *col = calloc(n * m, sizeof(int));
  double *a = malloc(n * m * sizeof(double)), *b = malloc(n * m * sizeof(double));
  gather(n, m, col, a, b);
  return 0;
}
