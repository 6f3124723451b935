// Counters that are declared at the beginning of the function, and private to each thread by a clause: the report knows which loop each
// one counts, so that the clause and the order of loops can be written, and the source means what it meant.
// REQUIRES: patch
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=before.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda fix --assume --dry-run before.yaml > a.diff && patch -p1 -s < a.diff
// RUN: %FileCheck %s --input-file %t/a.diff
// RUN: cd %t && env IPDA_REPORT=after.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: %FileCheck %s --check-prefix=BEFORE --input-file %t/before.yaml
// RUN: %not grep 'state: done' %t/after.yaml

#define at(k, j, i) (((k) * nj + (j)) * ni + (i))

void rows(int n, int m, const float *restrict A, float *restrict B) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j)
      B[i * m + j] = 2 * A[i * m + j];
}

void sweep(int nk, int nj, int ni, const double *below, double *x) {
  int i, j, k;
#pragma omp target teams distribute parallel for private(i, j) map(to : below[0 : nk * nj * ni]) map(tofrom : x[0 : nk * nj * ni])
  for (k = 0; k < nk; ++k)
    for (j = 1; j < nj; ++j)
      for (i = 0; i < ni; ++i)
        x[at(k, j, i)] -= below[at(k, j, i)] * x[at(k, j - 1, i)];
}

void halo(int n, int m, const float *restrict u, float *restrict o) {
  int i, j;
#pragma omp target teams distribute parallel for private(i) map(to : u[0 : n * m]) map(tofrom : o[0 : n * m])
  for (j = 1; j < n - 1; ++j)
    for (i = 1; i < m - 1; ++i)
      o[i * n + j] = u[i * n + j - 1] + u[i * n + j + 1];
}

// BEFORE-COUNT-3: state: done
// CHECK: # a.c:[[#]]: collapse(2) over i, j: for sizes of 1021 a warp touches
// CHECK: # a.c:[[#]]: loops in the order k, i, j, collapse(2) over k, i: {{.*}}; right only where below and x do not overlap, which nothing tests
// CHECK: # a.c:[[#]]: loops in the order i, j, collapse(2) over i, j
// CHECK: +#pragma omp target teams distribute parallel for collapse(2) private(j)
// CHECK: +#pragma omp target teams distribute parallel for collapse(2) private(i, j)
// CHECK: -    for (j = 1; j < nj; ++j)
// CHECK-NEXT: -      for (i = 0; i < ni; ++i)
// CHECK-NEXT: +    for (i = 0; i < ni; ++i)
// CHECK-NEXT: +      for (j = 1; j < nj; ++j)
// CHECK: +#pragma omp target teams distribute parallel for collapse(2) private(i)
// CHECK-NEXT: +  for (i = 1; i < m - 1; ++i)
// CHECK-NEXT: +    for (j = 1; j < n - 1; ++j)
