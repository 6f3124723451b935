// RUN: %policies | %FileCheck %s
// What counts is where a section begins, not the variable in whose name it is mapped: a pointer into an array that is on the device finds it
// there, and one into another part of the same array does not.
#include <stdio.h>
enum { N = 1000 };
static void add(int *p, int n) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    p[i] += 1;
}
static void add_behind(int *p, int from, int n) {
#pragma omp target teams distribute parallel for map(tofrom : p[from : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = from; i < from + n; ++i)
    p[i] += 10;
}
int main(void) {
  static int a[N];
#pragma omp target data map(tofrom : a[100 : 200])
  {
    add(a + 150, 50);
    add_behind(a, 110, 20);
    add_behind(a, 400, 100);
    add(a, 100);
    add(a + 300, 100);
  }
  long sum = 0;
  for (int i = 0; i < N; ++i)
    sum = sum * 3 % 1000003 + a[i];
  printf("%ld\n", sum);
}
// CHECK: under never:
// CHECK-NEXT: add at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: add_behind at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: add_behind at {{.*}}: on the host
// CHECK-NEXT: add at {{.*}}: on the host
// CHECK-NEXT: add at {{.*}}: on the host
