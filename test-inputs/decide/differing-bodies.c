// RUN: %policies -Xarch_device -DLESS=0 -Xarch_host -DLESS=1 | %FileCheck %s
// A program can tell its compilers apart. Whatever differs, however small, keeps the launch on the device: an operand, an operation, a
// condition, the end of a loop, the order of two branches.
#include <stdio.h>
enum { N = 100 };
static void alike(int *a, const int *x, const int *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : N], y[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    a[i] += x[i] + y[i];
}
static void operand(int *a, const int *x, const int *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : N], y[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known to compute what the host's does
  for (int i = 0; i < N; ++i) {
    // Captured in the same order.
    int u = x[i], v = y[i];
    a[i] += LESS ? u : v;
  }
}
static void sum(float *a, const float *x, const float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : N], y[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    float all = 0;
    for (int j = 0; j < N; ++j)
      all += LESS ? x[j] - y[j] : x[j] + y[j];
    a[i] = all;
  }
}
static void end(int *a, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < (LESS ? n : m); ++j)
      a[i] += j;
}
static void times(int *a, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < 10 - LESS; ++j)
      a[i] += j;
}
static void branch(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    if (x[i] > 50) {
#if LESS
#pragma omp atomic
      a[i] += 1;
#else
#pragma omp atomic
      a[0] += 2;
#endif
    } else {
#if LESS
#pragma omp atomic
      a[0] += 2;
#else
#pragma omp atomic
      a[i] += 1;
#endif
    }
  }
}
static void comparison(int *a, const int *x, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    if (LESS ? x[i] < n : x[i] > n)
      a[i] += 1;
}
static void twice(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    a[0] += 1;
#if LESS
#pragma omp atomic
    a[0] += 1;
#endif
  }
}
#pragma omp begin declare target
static const int table[4] = {1, 2, 3, 4 + LESS};
#pragma omp end declare target
static void constants(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    a[i] += table[i % 4];
}
static void first(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = LESS; i < N; ++i)
    a[i] += 1;
}
#pragma omp begin declare target
static int of_device(int i) { return 3 * i; }
#pragma omp declare variant(of_device) match(device = {kind(nohost)})
static int of_any(int i) { return 2 * i; }
#pragma omp end declare target
static void variant(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark:
  for (int i = 0; i < N; ++i)
    a[i] += of_any(i);
}
static void arms(int *a, const int *x, const int *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : N], y[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    int j = x[i] % N, k = y[i] % N;
#if LESS
    a[i] += i % 3 ? x[k] : y[j];
#else
    a[i] += i % 3 ? y[j] : x[k];
#endif
  }
}
static void until(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    int j = 0;
#if LESS
    do
      j += 7;
    while (x[j] > 1000);
#else
    do
      j += 7;
    while (!(x[j] > 1000) && j < 0);
#endif
    a[i] += j;
  }
}
static void width(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
#if LESS
    *(char *)&a[i] = 1;
#else
    *(short *)&a[i] = 1;
#endif
}
void teams(int *a) {
#pragma omp target teams num_teams(4) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
#if LESS
#pragma omp distribute parallel for
#else
#pragma omp parallel for
#endif
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    a[i] += 1;
  }
}
static void in_turn(int *a) {
#pragma omp target parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
#if !LESS
#pragma omp critical
#endif
    a[0] += 1;
  }
}
int main(void) {
  static int a[N], x[N], y[N];
  static float f[N], g[N], h[N];
  for (int i = 0; i < N; ++i) {
    x[i] = h[i] = i;
    y[i] = g[i] = 2 * i;
  }
  alike(a, x, y);
  operand(a, x, y);
  sum(f, g, h);
  end(a, 5, 7);
  times(a, 5, 7);
  branch(a, x);
  comparison(a, x, 20);
  twice(a);
  constants(a);
  first(a);
  variant(a);
  arms(a, x, y);
  until(a, x);
  width(a);
  in_turn(a);
  printf("%d %d %d %g\n", a[0], a[10], a[N - 1], f[3]);
}
// CHECK: under never:
// CHECK-NEXT: alike at {{.*}}: on the host
// CHECK-NOT: {{operand|sum|end|times|branch|comparison|twice|constants|first|arms|until|width|teams|in_turn}} at
