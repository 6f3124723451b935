// Neighbours behind an edge are those on the other side, or the edge's own element: by a condition, by min and max, by a rest. In all iterations but those at
// edges the five references are a row apart, or beside each other, as in neighbours.c: of 4096 x 4096 floats a is read once and b written once, which is
// 2 * 4 * 4096 * 4096 bytes = 134.2 MB; the rows between lie in an H100's L2 of 50 MB. (A condition in an address hid that: 838 MB and 403 MB.)
// In `columns` each thread adds up 2 * r + 1 rows of its column, the same for its neighbours in the rows above and below: again each row comes once.
// In `rows_from_the_first_on` no loop depends on `rows`: which case is the usual one is not known before, so that both stay: where all rows have their own
// (rows = n) a is read once, 134.2 MB with b; where none has, all read the first one, and b's 67.1 MB are what is left.
// What a launch predicts is the same.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D r=3 -D rows=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D r=3 -D rows=4096 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D r=3 -D rows=4096 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D rows=0 --region rows_from_the_first_on --details \
// RUN:   | %FileCheck --check-prefix=NONE %s

// CHECK: [1] wrapped
// CHECK: memory bytes {{ *}}13{{[4-6]}}.{{[0-9]+}} MB
void wrapped(const float *a, float *b, int n, int m) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int above = i == 0 ? n - 1 : i - 1, below = i == n - 1 ? 0 : i + 1;
      int left = j == 0 ? m - 1 : j - 1, right = j == m - 1 ? 0 : j + 1;
      b[i * m + j] = a[above * m + j] + a[below * m + j] + a[i * m + left] + a[i * m + right] - 4 * a[i * m + j];
    }
}

// CHECK: [2] clamped
// CHECK: memory bytes {{ *}}13{{[4-6]}}.{{[0-9]+}} MB
void clamped(const float *a, float *b, int n, int m) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int above = i - 1 < 0 ? 0 : i - 1, below = i + 1 > n - 1 ? n - 1 : i + 1;
      int left = j - 1 < 0 ? 0 : j - 1, right = j + 1 > m - 1 ? m - 1 : j + 1;
      b[i * m + j] = a[above * m + j] + a[below * m + j] + a[i * m + left] + a[i * m + right] - 4 * a[i * m + j];
    }
}

// CHECK: [3] rests
// CHECK: memory bytes {{ *}}13{{[4-6]}}.{{[0-9]+}} MB
void rests(const float *a, float *b, int n, int m) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = a[(i + n - 1) % n * m + j] + a[(i + 1) % n * m + j] + a[i * m + (j + m - 1) % m] + a[i * m + (j + 1) % m];
}

// CHECK: [4] columns
// CHECK: memory bytes {{ *}}13{{[4-6]}}.{{[0-9]+}} MB
void columns(const float *a, const float *weight, float *b, int n, int m, int r) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m], weight[0 : 2 * r + 1]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int d = -r; d <= r; ++d) {
        int at = i + d < 0 ? 0 : i + d;
        at = at >= n ? n - 1 : at;
        sum += a[at * m + j] * weight[d + r];
      }
      b[i * m + j] = sum;
    }
}

// CHECK: [5] rows_from_the_first_on
// CHECK: memory bytes {{ *}}13{{[4-6]}}.{{[0-9]+}} MB
// NONE: memory bytes {{ *}}6{{[78]}}.{{[0-9]+}} MB
void rows_from_the_first_on(const float *a, float *b, int n, int m, int rows) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = a[(i < rows ? i : 0) * m + j];
}
