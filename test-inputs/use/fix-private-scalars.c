// Counters at the beginning of the function, loops from 1, and other private variables that the body computes from them: a loop is known by its
// counters alone, and everybody tells the clause that `ipda fix` writes. Where a statement stands between the loops, nobody tells one.
// REQUIRES: patch
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor -Rpass=ipda a.c -o a.s 2> remarks
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t/remarks
// RUN: cd %t && %ipda report a.yaml --details | %FileCheck %s --check-prefix=TOLD
// RUN: cd %t && %ipda explain a.c:8 --report a.yaml | %FileCheck %s --check-prefix=EXPLAIN
// RUN: cd %t && %ipda explain a.c:35 --report a.yaml | %FileCheck %s --check-prefix=DEEPER
// RUN: cd %t && %ipda report a.yaml --html page && cat page/*.html | %FileCheck %s --check-prefix=PAGE
// RUN: cd %t && %not %ipda fix --assume --dry-run a.yaml > a.diff 2> refused && patch -p1 -s < a.diff
// RUN: %FileCheck %s --check-prefix=DIFF --input-file %t/a.diff
// RUN: %FileCheck %s --check-prefix=REFUSED --input-file %t/refused
// RUN: cd %t && %clang -O2 -fopenmp -Werror -c a.c -o a.o

#define AT(i, j) ((i) * m + (j))
#define PRAGMA(text) _Pragma(#text)
#define SHARED PRAGMA(omp target teams distribute parallel for private(j) map(to : u[0 : n * m]) map(from : f[0 : n * m]))

void shifted(int n, int m, const double *restrict u, double *restrict f) {
  int i, j, p, q;
#pragma omp target teams distribute parallel for private(j, p, q) map(to : u[0 : n * m]) map(from : f[0 : n * m])
  for (i = 1; i < n; i++)
    for (j = 1; j < m; j++) {
      p = i - 1;
      q = j - 1;
      f[AT(i, j)] = u[AT(p, q)];
    }
}

void scaled(int first, int n, int m, const double *restrict u, double *restrict f) {
  int i, j, at;
  double x;
#pragma omp target teams distribute \
            parallel for            \
            private(j, x, at)       \
            map(to : u[0 : n * m])  \
            map(from : f[0 : n * m])
  for (i = 1; i <= n - 1; i++)
    for (j = first; j < m; j++) {
      at = AT(i, j), x = 0.5 * i;
      f[at] = x * u[at];
    }
}

#define ROWS 500
void constant(const double *restrict u, double *restrict f) {
  int i, j, p, k;
#pragma omp target teams distribute parallel for collapse(2) private(i, j, p, k) map(to : u[0 : ROWS * ROWS * 100]) map(from : f[0 : ROWS * ROWS * 100])
  for (i = 1; i < ROWS; i++)
    for (j = 1; j < ROWS; j++)
      for (k = 1; k < 99; k++) {
        p = (i * ROWS + j) * 100;
        f[p + k] = u[p + k - 1] + u[p + k + 1];
      }
}

void between(int n, int m, const double *restrict u, double *restrict f) {
  int i, j, p;
#pragma omp target teams distribute parallel for private(j, p) map(to : u[0 : n * m]) map(from : f[0 : n * m])
  for (i = 1; i < n; i++) {
    p = i - 1;
    for (j = 1; j < m; j++)
      f[AT(i, j)] = u[AT(p, j)];
  }
}

void by_macro(int n, int m, const double *restrict u, double *restrict f) {
  int i, j;
  SHARED
  for (i = 1; i < n; i++)
    for (j = 1; j < m; j++)
      f[AT(i, j)] = u[AT(i, j)];
}

// REMARK: collapsed the loops over i and j: {{.*}} to write it yourself, add collapse(2) to the directive
// REMARK: collapsed the loops over i and j: {{.*}} to write it yourself, add collapse(2) to the directive
// REMARK: collapsed the loops over i, j and k: {{.*}} to write it yourself, write collapse(3) in place of collapse(2)
// REMARK: collapsed the loops over i and j:
// REMARK-NOT: to write it yourself
// REMARK: collapsed the loops over i and j: {{.*}} to write it yourself, add collapse(2) to the directive
// TOLD: shifted
// TOLD: to write it yourself: add collapse(2) to the directive
// TOLD: scaled
// TOLD: to write it yourself: add collapse(2) to the directive
// TOLD: constant
// TOLD: to write it yourself: write collapse(3) in place of collapse(2)
// TOLD: between
// TOLD-NOT: to write it yourself
// TOLD: by_macro
// TOLD: to write it yourself: add collapse(2) to the directive
// EXPLAIN: loop over i (line
// EXPLAIN: loop over j (line
// EXPLAIN: to write it yourself: add collapse(2) to the directive
// DEEPER: to write it yourself: write collapse(3) in place of collapse(2)
// PAGE: write collapse(3) in place of collapse(2)
// DIFF: # a.c:[[#]]: collapse(2) over i, j
// DIFF: # a.c:[[#]]: collapse(2) over i, j
// DIFF: # a.c:[[#]]: collapse(3) over i, j, k
// DIFF: +#pragma omp target teams distribute parallel for collapse(2) private(j, p, q)
// DIFF: +            parallel for collapse(2)
// DIFF: +#pragma omp target teams distribute parallel for collapse(3) private(i, j, p, k)
// REFUSED: nothing written: line [[#]] stands between the loop over i and the one inside it
// REFUSED: nothing written: no `#pragma omp` stands before the loop in line [[#]]: a macro or _Pragma makes its directive
// REFUSED-NOT: nothing written
