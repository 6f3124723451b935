// The clause and the order of loops that a report asks for, written into the source; compiled again, nothing is left to ask for. In the
// last region a statement stands between the loops: that stays, and a sentence says so.
// REQUIRES: patch
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=before.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %not %ipda fix --assume --dry-run before.yaml > a.diff 2> refused && patch -p1 -s < a.diff
// RUN: %FileCheck %s --check-prefix=DIFF --input-file %t/a.diff
// RUN: %FileCheck %s --check-prefix=REFUSED --input-file %t/refused
// RUN: cd %t && env IPDA_REPORT=after.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: %FileCheck %s --check-prefix=BEFORE --input-file %t/before.yaml
// RUN: %FileCheck %s --check-prefix=AFTER --input-file %t/after.yaml
// RUN: cd %t && %not %ipda fix after.yaml 2>&1 | %FileCheck %s --check-prefix=REFUSED

void rows(int n, int m, const float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j] = 2 * A[i * m + j];
}

void sweep(int nk, int nj, int ni, const double *below, double *x) {
#pragma omp target teams distribute parallel for map(to : below[0 : nk * nj * ni]) map(tofrom : x[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int j = 1; j < nj; ++j)
      for (int i = 0; i < ni; ++i)
        x[(k * nj + j) * ni + i] -= below[(k * nj + j) * ni + i] * x[(k * nj + j - 1) * ni + i];
}

void between(int n, int m, const float *restrict x, float *restrict first, float *restrict A) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : first[0 : n], A[0 : n * m])
  for (int i = 0; i < n; ++i) {
    first[i] = 2 * x[i];
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[i] + j;
  }
}

// BEFORE-COUNT-3: state: done
// AFTER-COUNT-1: state: done
// AFTER-NOT: state: done
// DIFF: # a.c:[[#]]: collapse(2) over i, j: for sizes of 1021 a warp touches
// DIFF: # a.c:[[#]]: loops in the order k, i, j, collapse(2) over k, i: {{.*}}; right only where below and x do not overlap, which nothing tests
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) \
// DIFF: +/* right only where below and x do not overlap */
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) map(to : below
// DIFF-NEXT: for (int k = 0; k < nk; ++k)
// DIFF-NEXT: -    for (int j = 1; j < nj; ++j)
// DIFF-NEXT: -      for (int i = 0; i < ni; ++i)
// DIFF-NEXT: +    for (int i = 0; i < ni; ++i)
// DIFF-NEXT: +      for (int j = 1; j < nj; ++j)
// DIFF-NOT: {{^[-+]}}
// REFUSED: nothing written: line [[#]] stands between the loop over i and the one inside it
// REFUSED-NOT: nothing written
