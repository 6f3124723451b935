// RUN: %policies | %FileCheck %s
// Under unified shared memory nothing needs to be mapped, and what maps say need not hold: the device is kept.
#pragma omp requires unified_shared_memory
#include <stdio.h>
enum { N = 100 };
static void add(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: the program requires unified shared memory
  for (int i = 0; i < N; ++i)
    a[i] += 1;
}
int main(void) {
  static int a[N];
  add(a);
  printf("%d\n", a[N - 1]);
}
// CHECK: under never:
// CHECK-NOT: on the
