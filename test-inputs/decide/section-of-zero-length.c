// RUN: %policies | %FileCheck %s
// A section whose length is 0 in a launch maps nothing: its pointer may be the device's. Such a launch stays there; others of the same region
// need not.
#include <omp.h>
#include <stdio.h>
enum { N = 1000 };
static void fill(int *a, int length, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : length])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    a[i] += i;
}
int main(void) {
  static int a[N];
  int device = omp_get_default_device();
  int *d = omp_target_alloc(sizeof a, device);
  omp_target_memcpy(d, a, sizeof a, 0, 0, device, omp_get_initial_device());
  fill(d, 0, N);
  omp_target_memcpy(a, d, sizeof a, 0, 0, omp_get_initial_device(), device);
  fill(a, N, N);
  omp_target_free(d, device);
  printf("%d %d\n", a[1], a[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: fill at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: fill at {{.*}}: on the host
