// RUN: %policies | %FileCheck %s
// A modifier asks for something on the device: to copy even what is there, to fail where nothing is there.
#include <stdio.h>
enum { N = 1000 };
static void always(int *a) {
#pragma omp target teams distribute parallel for map(always, tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: a clause asks for more than to copy data there and back
  for (int i = 0; i < N; ++i)
    a[i] += 1;
}
static void near(int *a) {
#pragma omp target teams distribute parallel for map(close, tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: a clause asks for more than to copy data there and back
  for (int i = 0; i < N; ++i)
    a[i] += 2;
}
static void present(int *a) {
#pragma omp target teams distribute parallel for map(present, tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: a clause asks for more than to copy data there and back
  for (int i = 0; i < N; ++i)
    a[i] += 4;
}
int main(void) {
  static int a[N];
#pragma omp target data map(tofrom : a[0 : N])
  {
    always(a);
    printf("%d\n", a[N - 1]);
    near(a);
    present(a);
  }
  near(a);
  printf("%d\n", a[N - 1]);
  fflush(stdout);
  // Nothing is there: the program ends here.
  present(a);
  printf("%d\n", a[N - 1]);
}
// CHECK: under never:
// CHECK-NOT: on the
