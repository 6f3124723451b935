// RUN: %policies | %FileCheck %s
// An if clause of the program's decides about the target construct; one about the parallel construct alone does not.
#include <stdio.h>
enum { N = 1000 };
static void large(int *a, int n) {
#pragma omp target teams distribute parallel for if (n > 100) map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: its if clause decides
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
static void named(int *a, int n) {
#pragma omp target teams distribute parallel for if (target : n > 100) map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: its if clause decides
  for (int i = 0; i < n; ++i)
    a[i] += 2;
}
static void later(int *a, int n) {
#pragma omp target teams distribute parallel for if (target : n > 100) map(tofrom : a[0 : n]) nowait
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: its if clause decides
  for (int i = 0; i < n; ++i)
    a[i] += 4;
#pragma omp taskwait
}
static void threads(int *a, int n) {
#pragma omp target parallel for if (parallel : n > 100) map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark:
  for (int i = 0; i < n; ++i)
    a[i] += 8;
}
int main(void) {
  static int a[N];
  large(a, 10);
  large(a, N);
  named(a, 10);
  named(a, N);
  later(a, 10);
  later(a, N);
  threads(a, 10);
  threads(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
}
// CHECK: under never:
// CHECK-NOT: {{large|named|later}} at
