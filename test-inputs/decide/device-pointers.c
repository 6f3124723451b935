// RUN: %policies | %FileCheck %s
// Memory of `omp_target_alloc` is the device's. The program may say so, or leave it to the rule that an unmapped pointer is handed over as
// it is; neither may run on the host. (This target's device memory is the host's, so that only the choice can show a mistake.)
#include <omp.h>
#include <stdio.h>
enum { N = 1000 };
static void said(int *d) {
#pragma omp target teams distribute parallel for is_device_ptr(d)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: is_device_ptr or has_device_addr says
  for (int i = 0; i < N; ++i)
    d[i] = i;
}
static void unsaid(int *d) {
#pragma omp target teams distribute parallel for
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: no map clause says how much a pointer leads to
  for (int i = 0; i < N; ++i)
    d[i] += 1;
}
static void mixed(const int *d, int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: no map clause says how much a pointer leads to
  for (int i = 0; i < N; ++i)
    a[i] += d[i];
}
static void addressed(int *a) {
#pragma omp target data map(tofrom : a[0 : N]) use_device_addr(a[0 : N])
#pragma omp target teams distribute parallel for has_device_addr(a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i)
    a[i] += 2;
}
static void pointed(int *a) {
#pragma omp target data map(tofrom : a[0 : N]) use_device_ptr(a)
#pragma omp target teams distribute parallel for is_device_ptr(a)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: is_device_ptr or has_device_addr says
  for (int i = 0; i < N; ++i)
    a[i] += 3;
}
static void as_number(int *d) {
  unsigned long number = (unsigned long)d;
#pragma omp target teams distribute parallel for firstprivate(number)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it follows pointers that it finds in memory
  for (int i = 0; i < N; ++i)
    ((int *)number)[i] += 4;
}
int main(void) {
  static int a[N];
  int device = omp_get_default_device();
  int *d = omp_target_alloc(sizeof a, device);
  said(d);
  unsaid(d);
  as_number(d);
  mixed(d, a);
  addressed(a);
  pointed(a);
  omp_target_free(d, device);
  printf("%d %d\n", a[0], a[N - 1]);
}
// CHECK: under never:
// CHECK-NOT: on the
