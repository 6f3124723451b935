// REQUIRES: libomp-device-bc
// RUN: rm -rf %t && mkdir %t && sed '/^\/\/ /d' %s > %t/a.c
// RUN: cd %t && env IPDA_REPORT=a.yaml %clang-device -g -Xclang -debug-info-kind=constructor a.c -o a.s
// RUN: cd %t && %ipda explain a.c:14 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s
// RUN: cd %t && %ipda explain a.c:23 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s --check-prefix=DEEP
// RUN: cd %t && %ipda explain a.c:33 --report a.yaml | tr -s ' \n' ' ' | %FileCheck %s --check-prefix=BACK
//
// A window of a grid, cut off at its borders: #i and #j are counted from the window's first row and column, where the variables begin. Each element is
// taken from the row before, one column on: with (1, -1), i + j stays.
//
// CHECK: skewed with p = #i + #j, the iterations of p are independent: for p from 0 to
// CHECK-SAME: for #i from max(0,
// CHECK-SAME: with #j = p - #i
//
// In three loops, elements of the layer and the row before, each one column on: (1, 0, -1) and (0, 1, -1) leave i + j + k as it is.
//
// DEEP: skewed with p = #i + #j + k, the iterations of p are independent: for p from 0 to 192, for #i from max(0, p - 128) to min(64, p),
// DEEP-SAME: for #j from max(0, p - #i - 64) to min(64, p - #i), with k = p - #i - #j
//
// From the row and the column before, i - j stays: it begins below 0.
//
// BACK: skewed with p = #i - #j, the iterations of p are independent: for p from -m + 2 to n - 2, for #i from max(0, p) to min(n - 2, m + p - 2), with #j = #i - p

#define LOW(a) ((a) > 1 ? (a) : 1)
#define AT(i, j) u[(i) * m + (j)]
#define HIGH(a, end) ((a) < (end) ? (a) : (end))

void window(int n, int m, int top, int left, int rows, float *restrict u) {
#pragma omp target map(tofrom : u[0 : n * m])
  for (int i = LOW(top); i < HIGH(top + rows, n); i++)
    for (int j = LOW(left); j < m - 1; j++)
      AT(i, j) = 0.5f * (AT(i, j) + AT(i - 1, j + 1));
}

#define N 66

void layers(double (*restrict v)[N][N]) {
#pragma omp target map(tofrom : v[0 : N])
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      for (int k = 0; k < N - 1; k++)
        v[i][j][k] += v[i - 1][j][k + 1] - v[i][j - 1][k + 1];
}

void along(int n, int m, int *restrict w) {
#pragma omp target map(tofrom : w[0 : n * m])
  {
    int i, j;
    for (i = 1; i < n; i++)
      for (j = 1; j < m; j++)
        w[i * m + j] += w[(i - 1) * m + j - 1];
  }
}
