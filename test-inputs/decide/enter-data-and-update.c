// RUN: %policies | %FileCheck %s
// `target enter data` leaves a copy on the device, and `target update` makes parts of both alike: regions work on the copy until the last
// `target exit data`.
#include <stdio.h>
enum { N = 1000 };
static void add(int *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
int main(void) {
  static int a[N];
#pragma omp target enter data map(to : a[0 : N])
#pragma omp target enter data map(to : a[0 : N])
  for (int i = 0; i < N; ++i)
    a[i] = 100;
  // The device still has zeros, but for the first half.
#pragma omp target update to(a[0 : N / 2])
  add(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
#pragma omp target update from(a[0 : N])
  printf("%d %d\n", a[0], a[N - 1]);
#pragma omp target exit data map(release : a[0 : N])
  add(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
#pragma omp target exit data map(from : a[0 : N])
  printf("%d %d\n", a[0], a[N - 1]);
  add(a, N);
  printf("%d %d\n", a[0], a[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: on the device, since its data is already there or empty
// CHECK-NEXT: on the device, since its data is already there or empty
// CHECK-NEXT: on the host
