// RUN: %policies | %FileCheck %s
// What is not copied back may be written on the device without changing the program's own memory. Private copies are apart on the
// host as well.
#include <stdio.h>
enum { N = 100 };
static void copied_in(int *a, int *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(from : b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it writes to memory that is not copied back
  for (int i = 0; i < N; ++i) {
    a[i] *= 2;
    b[i] = a[i];
  }
}
static void allocated(int *scratch, int *b) {
#pragma omp target teams distribute parallel for map(alloc : scratch[0 : N]) map(from : b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it writes to memory that is not copied back
  for (int i = 0; i < N; ++i) {
    scratch[i] = 3 * i;
    b[i] += scratch[i];
  }
}
static void by_default(int *b) {
  int a[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp target teams distribute parallel for defaultmap(to : aggregate) map(tofrom : b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it writes to memory that is not copied back
  for (int i = 0; i < N; ++i) {
    a[i] += 1;
    b[i] += a[i];
  }
  b[0] += a[0];
}
static void first_private(int *b) {
  int a[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp target firstprivate(a) map(tofrom : b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    a[i] += 1;
    b[i] += a[i];
  }
  b[0] += a[0];
}
static void first_private_read(int *b) {
  int a[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp target parallel for firstprivate(a) map(tofrom : b[0 : N]) nowait
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    b[i] += a[i];
  a[0] = 1000;
#pragma omp taskwait
}
static void private(int *b, int k) {
  int a[N], x = k;
#pragma omp target private(a) firstprivate(x) map(tofrom : b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    a[i] = ++x;
    b[i] += a[i];
  }
  b[0] += x;
}
static int scalar(int n) {
  int last = -1;
#pragma omp target teams distribute parallel for map(tofrom : last) lastprivate(last)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    last = i;
  return last;
}
int main(void) {
  static int a[N], b[N], scratch[N];
  for (int i = 0; i < N; ++i)
    a[i] = scratch[i] = i;
  copied_in(a, b);
  allocated(scratch, b);
  by_default(b);
  first_private(b);
  first_private_read(b);
  private(b, 4);
  printf("%d %d %d %d\n", a[N - 1], b[N - 1] % 1000, scratch[1], scalar(N));
}
// CHECK: under never:
// CHECK-NEXT: first_private at {{.*}}: on the host
// CHECK-NEXT: first_private_read at {{.*}}: on the host
// CHECK-NEXT: private at {{.*}}: on the host
// CHECK-NEXT: scalar at {{.*}}: on the host
// CHECK-NOT: on the
