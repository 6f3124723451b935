// RUN: %policies -Xarch_device -DLESS=0 -Xarch_host -DLESS=1 | %FileCheck %s
// Each operation of one version is in the other, under conditions that look the same: what differs is their order, the constants of a switch's
// cases, which of two local arrays is read, or by which of two ways a branch leads on. Their twins, which write the same for both, may run on the host.
#include <stdio.h>
enum { N = 64 };
// p and r may be one array.
static void order(int *p, const int *q, int *r) {
#pragma omp target teams distribute parallel for map(to : q[0 : N]) map(tofrom : p[0 : N], r[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known to compute what the host's does
  for (int i = 0; i < N; ++i) {
    (void)p, (void)q, (void)r;
#if LESS
    p[i] = q[i] + 1;
    r[i] = 2;
#else
    r[i] = 2;
    p[i] = q[i] + 1;
#endif
  }
}
static void same_order(int *p, const int *q, int *r) {
#pragma omp target teams distribute parallel for map(to : q[0 : N]) map(tofrom : p[0 : N], r[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    p[i] = q[i] + 1;
    r[i] = 2;
  }
}
// q and r may be one array: the value that is read depends on the order.
static void read(int *p, const int *q, int *r) {
#pragma omp target teams distribute parallel for map(tofrom : q[0 : N], p[0 : N], r[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    (void)p, (void)q, (void)r;
#if LESS
    int read = q[i];
    r[i] = 2;
#else
    r[i] = 2;
    int read = q[i];
#endif
    p[i] = read;
  }
}
static void conditions(int *p, int *r, int c, int d) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N], r[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    (void)p, (void)r, (void)c, (void)d;
#if LESS
    if (c > i)
      p[i] = 1;
    if (d > i)
      r[i] = 2;
#else
    if (d > i)
      r[i] = 2;
    if (c > i)
      p[i] = 1;
#endif
  }
}
static void loops(int *p, int *q) {
#pragma omp target map(tofrom : p[0 : N], q[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  {
    (void)p, (void)q;
#if LESS
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      p[i] += q[N - 1 - i];
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      q[i] += p[N - 1 - i];
#else
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      q[i] += p[N - 1 - i];
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      p[i] += q[N - 1 - i];
#endif
  }
}
static void cases(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    switch (x[i]) {
    case 3 + LESS:
      a[i] += 5;
      break;
    case 10:
      a[i] *= 7;
      break;
    case 77:
      a[N - 1] = x[0];
      break;
    default:
      a[i] -= 1;
    }
}
static void case_of_value(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    int r;
    switch (x[i]) {
    case 30 + LESS:
      r = a[i] + x[0];
      break;
    case 100:
      r = a[i] * x[1];
      break;
    case 777:
      r = a[i] - x[2];
      break;
    default:
      r = x[3];
    }
    a[i] = r;
  }
}
static void same_cases(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    switch (x[i]) {
    case 3:
      a[i] += 5;
      break;
    case 10:
    case 11:
      a[i] *= 7;
      break;
    default:
      a[i] -= 1;
    }
}
static void arrays(int *p, int k) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    int t[8], u[8];
    for (int j = 0; j < 8; ++j) {
      t[j] = p[i] + j;
      u[j] = p[i] - j;
    }
    p[i] = (LESS ? t : u)[k & 7] * 3;
  }
}
static void same_array(int *p, int k) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    int t[8], u[8];
    for (int j = 0; j < 8; ++j) {
      t[j] = p[i] + j;
      u[j] = p[i] - j;
    }
    p[i] = t[k & 7] * u[i & 7];
  }
}
// Two ways lead to the statement. clang turns the second branch round instead of negating its condition.
static void one_of_two(int *a, const float *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
#if LESS
    if (x[i] > 3 || x[a[i] & 7] > 5)
#else
    if (x[i] > 3 || !(x[a[i] & 7] > 5))
#endif
      a[i] = 1;
}
static void same_one_of_two(int *a, const float *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    if (x[i] > 3 || x[a[i] & 7] > 5)
      a[i] = 1;
}
static void cases_together(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i)
    switch (x[i]) {
    case 1:
    case 7 - LESS:
      a[i] += x[0];
      break;
    case 3:
    case 6 + LESS:
      a[i] *= x[1];
      break;
    case 20:
      a[N - 1] = x[2];
    }
}
// Copies of copies, and variables that both begin as 1.
static void first_copies(int *p, int n) {
  int s[4] = {1, 2, 3, n}, t[4] = {5, 6, 7, n};
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N]) firstprivate(s, t)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  for (int i = 0; i < N; ++i) {
    (void)s, (void)t;
    p[i] = LESS ? s[i & 3] : t[i & 3];
  }
}
static void sums(int *p, const int *q) {
#pragma omp target map(tofrom : p[0 : N]) map(to : q[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the device's version is not known
  {
    int s = 1, t = 1;
#pragma omp parallel for reduction(+ : s) reduction(+ : t)
    for (int i = 0; i < N; ++i) {
      s += p[i];
      t += q[i];
    }
    p[0] = LESS ? s : t;
  }
}
static void same_sums(int *p, const int *q) {
#pragma omp target map(tofrom : p[0 : N]) map(to : q[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  {
    int s = 1, t = 1;
#pragma omp parallel for reduction(+ : s) reduction(+ : t)
    for (int i = 0; i < N; ++i) {
      s += p[i];
      t += q[i];
    }
    p[0] = s - 2 * t;
  }
}
int main(void) {
  static float f[N];
  static int a[N], b[N], x[N];
  for (int i = 0; i < N; ++i)
    f[i] = a[i] = x[i] = i;
  order(a, b, a);
  same_order(a, b, x);
  read(b, a, a);
  conditions(a, a, 40, 20);
  loops(a, b);
  cases(a, x);
  case_of_value(a, x);
  same_cases(a, x);
  arrays(b, 5);
  same_array(b, 6);
  one_of_two(a, f);
  same_one_of_two(a, f);
  cases_together(a, x);
  first_copies(b, 9);
  sums(a, x);
  same_sums(b, x);
  for (int i = 0; i < N; ++i)
    printf("%d %d\n", a[i], b[i]);
}
// CHECK: under never:
// CHECK: same_order at {{.*}}: on the host
// CHECK-NEXT: same_cases at {{.*}}: on the host
// CHECK-NEXT: same_array at {{.*}}: on the host
// CHECK-NEXT: same_one_of_two at {{.*}}: on the host
// CHECK-NEXT: same_sums at {{.*}}: on the host
