// RUN: %policies | %FileCheck %s
// A device clause means what it says, whatever the policy: the device, or the host.
#include <omp.h>
#include <stdio.h>
enum { N = 1000 };
static void on(int *a, int device) {
#pragma omp target teams distribute parallel for device(device) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    a[i] += 1;
}
static void anywhere(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    a[i] += 10;
}
int main(void) {
  static int a[N];
  int first = omp_get_default_device(), host = omp_get_initial_device();
  on(a, first);
  on(a, host);
#pragma omp target data device(first) map(tofrom : a[0 : N])
  on(a, first);
  // Present on the last device, which is not the one that is asked for.
  int last = omp_get_num_devices() - 1;
#pragma omp target enter data device(last) map(to : a[0 : N])
  if (last != first)
    anywhere(a);
  omp_set_default_device(last);
  anywhere(a);
  printf("%d\n", a[N - 1]);
#pragma omp target exit data device(last) map(from : a[0 : N])
  omp_set_default_device(host);
  anywhere(a);
  printf("%d\n", a[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: on at {{.*}}: on the device{{$}}
// CHECK: anywhere at {{.*}}: on the host
// CHECK-NEXT: anywhere at {{.*}}: on the device, since its data is already there or empty
