// RUN: %policies | %FileCheck %s
// A `declare target` variable exists twice, and no argument of the launch tells of it. A plain one is mapped as any other, and a constant is
// the same on both sides.
#include <stdio.h>
enum { N = 1000 };
#pragma omp begin declare target
int counts[N];
const int weights[4] = {1, 2, 3, 4};
static int next(void) {
  static int last;
  return ++last;
}
#pragma omp end declare target
int linked[N];
#pragma omp declare target link(linked)
int plain[N];
int *kept;
#pragma omp declare target(kept)

static void count(void) {
#pragma omp target teams distribute parallel for
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: counts exists on both sides, by declare target or as a static variable
  for (int i = 0; i < N; ++i)
    counts[i] += i;
}
static void link(void) {
#pragma omp target teams distribute parallel for map(tofrom : linked)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i)
    linked[i] += i;
}
static void own(int *result) {
#pragma omp target map(from : result[0 : 1])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: next.last exists on both sides, by declare target or as a static variable
  result[0] = next();
}
static void weigh(void) {
#pragma omp target teams distribute parallel for
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i)
    plain[i] += weights[i % 4];
}
static void keep(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: counts exists on both sides
  for (int i = 0; i < N; ++i)
    a[i] += counts[i];
}
static void follow(void) {
#pragma omp target teams distribute parallel for map(tofrom : kept[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i)
    kept[i] += 7;
}
int main(void) {
  int first, second;
  count();
  // The host's copy does not count until an update asks for it.
  printf("%d\n", counts[N - 1]);
  for (int i = 0; i < N; ++i)
    counts[i] = 5;
  count();
#pragma omp target update from(counts)
  printf("%d\n", counts[N - 1]);
  link();
  own(&first);
  own(&second);
  weigh();
  counts[N - 1] = 1000000;
  keep(plain);
  kept = plain;
  follow();
  printf("%d %d %d %d %d\n", linked[N - 1], first, second, plain[3], plain[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: weigh at {{.*}}: on the host
// CHECK-NOT: on the
