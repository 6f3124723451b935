// A clause for a nest with reductions. The reduction's own combination of the threads' values is at the directive, up to the end of its last
// line: that is no sign of another source. Compiled again, the report has the two loops as one, and nothing is left to ask for.
// REQUIRES: patch, libomp-device-bc
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=before.yaml %ipda cc --look -g -O2 -fopenmp --offload-arch=sm_90 -c a.c
// RUN: cd %t && %ipda fix --dry-run before.yaml > a.diff && patch -p1 -s < a.diff
// RUN: %FileCheck %s --check-prefix=DIFF --input-file %t/a.diff
// RUN: cd %t && env IPDA_REPORT=after.yaml %ipda cc --look -g -O2 -fopenmp --offload-arch=sm_90 -c a.c
// RUN: %FileCheck %s --check-prefix=BEFORE --input-file %t/before.yaml
// RUN: %FileCheck %s --check-prefix=AFTER --input-file %t/after.yaml
// RUN: cd %t && %ipda fix after.yaml | %FileCheck %s --check-prefix=NOTHING

int sum(int n, int m, const int *B) {
  int s = 0;
#pragma omp target teams distribute parallel for reduction(+ : s) map(tofrom : s) map(to : B[: n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) s += B[i * m + j];
  return s;
}

double both(int n, int m, const double *A, double *largest) {
  double s = 0, top = A[0];
#pragma omp target teams distribute parallel for reduction(+ : s) reduction(max : top) \
    map(tofrom : s, top) map(to : A[: n * m]) // both
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      s += A[i * m + j];
      top = A[i * m + j] > top ? A[i * m + j] : top;
    }
  *largest = top;
  return s;
}

// BEFORE: state: done
// BEFORE: state: done
// AFTER: function: sum
// AFTER: variable: i, j
// AFTER: state: best
// AFTER: function: both
// AFTER: variable: i, j
// AFTER: state: best
// DIFF: # a.c:[[#]]: collapse(2) over i, j: for sizes of 1021 a warp touches
// DIFF: # a.c:[[#]]: collapse(2) over i, j: for sizes of 1021 a warp touches
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) reduction(+ : s) map(tofrom : s)
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) reduction(+ : s) reduction(max : top) \
// DIFF-NOT: {{^[-+]}}
// NOTHING: nothing to write: no report asks for another order of loops or another map clause
