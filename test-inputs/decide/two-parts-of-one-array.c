// RUN: %policies | %FileCheck %s
// Sections of one array in one construct lie apart (OpenMP 5.2, 5.8.3), so that both may be the host's; one of them on the device keeps all.
#include <stdio.h>
enum { N = 1000 };
static void shift(int *to, const int *from, int n) {
#pragma omp target teams distribute parallel for map(tofrom : to[0 : n]) map(to : from[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    to[i] += from[i];
}
int main(void) {
  static int a[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
  shift(a, a + N / 2, N / 2);
#pragma omp target data map(to : a[0 : N / 2])
  {
    for (int i = 0; i < N / 2; ++i)
      a[i] = 7;
    shift(a + N / 2, a, N / 2);
  }
  printf("%d %d %d\n", a[0], a[N / 2], a[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: shift at {{.*}}: on the host
// CHECK-NEXT: shift at {{.*}}: on the device, since its data is already there or empty
