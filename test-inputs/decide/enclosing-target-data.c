// RUN: %policies | %FileCheck %s
// Inside of `target data` the device's copy counts: on the host, a region would work on what was there before. Behind it, it may run there.
#include <stdio.h>
enum { N = 1000 };
static void twice(int *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}
static long sum(const int *a, int n) {
  long total = 0;
#pragma omp target teams distribute parallel for reduction(+ : total) map(to : a[0 : n])
  for (int i = 0; i < n; ++i)
    total += a[i];
  return total;
}
int main(void) {
  static int a[N], b[N];
  for (int i = 0; i < N; ++i)
    a[i] = b[i] = i;
#pragma omp target data map(tofrom : a[0 : N])
  {
    twice(a, N);
    // The device's copy is the double; a part of it is there as well.
    printf("%ld %ld\n", sum(a, N), sum(a + 100, 50));
    twice(a + 100, 50);
    // Another array is not there.
    twice(b, N);
  }
  printf("%ld %ld\n", sum(a, N), sum(b, N));
}
// CHECK: under never:
// CHECK-NEXT: twice at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: sum at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: sum at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: twice at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: twice at {{.*}}: on the host
// CHECK-NEXT: sum at {{.*}}: on the host
// CHECK-NEXT: sum at {{.*}}: on the host
