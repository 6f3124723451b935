// RUN: %policies | %FileCheck %s
// Several regions of one function, each with its own answer: what the first leaves on the host is what the second takes to the device.
#include <stdio.h>
enum { N = 1000 };
int offset = 3;
#pragma omp declare target(offset)
static void all(int *a, int *b, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    a[i] += 1;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: offset exists on both sides
  for (int i = 0; i < n; ++i)
    b[i] = a[i] + offset;
#pragma omp target
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  {
  }
#pragma omp target parallel for map(tofrom : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    b[i] *= 2;
#pragma omp target map(tofrom : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 1; i < n; ++i)
    b[i] = (b[i] + b[i - 1]) % 1009;
#pragma omp target teams distribute map(tofrom : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n / 10; ++i) {
#pragma omp parallel for
    for (int j = 0; j < 10; ++j)
      b[i * 10 + j] += j;
  }
#pragma omp target simd map(tofrom : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    b[i] += 1;
#pragma omp target teams loop map(tofrom : b[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    b[i] += 1;
}
int main(void) {
  static int a[N], b[N];
  all(a, b, N);
  all(a, b, N);
  printf("%d %d %d\n", a[0], b[1], b[N - 1]);
}
// CHECK: under never:
// CHECK-COUNT-14: all at {{.*}}: on the host
// CHECK-NOT: on the
