// RUN: %policies | %FileCheck %s
// A metadirective may choose by the device, and so may a function that the region calls.
#include <omp.h>
#include <stdio.h>
enum { N = 100 };
static void by_kind(int *a) {
#pragma omp target map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark:
#pragma omp metadirective when(device = {kind(nohost)} : parallel for) default(single)
  for (int i = 0; i < N; ++i)
    a[i] += i;
}
static int place(void) { return omp_is_initial_device() ? 1 : 2; }
static void asks(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it calls omp_is_initial_device, whose answer differs
  for (int i = 0; i < N; ++i)
    a[i] += place();
}
static void numbers(int *a) {
#pragma omp target teams num_teams(2) thread_limit(4) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it calls omp_get_team_num, whose answer differs
  if (omp_get_team_num() == 0)
    a[0] += 1;
}
static void limited(int *a) {
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(4) map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    a[i] += 1;
}
int main(void) {
  static int a[N];
  by_kind(a);
  asks(a);
  numbers(a);
  limited(a);
  printf("%d %d\n", a[0], a[N - 1]);
}
// CHECK: under never:
// CHECK: limited at {{.*}}: on the host
// CHECK-NOT: on the
