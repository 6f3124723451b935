// RUN: %policies | %FileCheck %s
// Deferred launches decide when they run, behind what they depend on: the first chain finds its data on the device, the second does not.
// They have no teams, which could not run on the host there.
#include <stdio.h>
enum { N = 1000 };
static void there(int *a, int n) {
#pragma omp target enter data map(to : a[0 : n]) nowait depend(out : a[0])
#pragma omp target parallel for map(tofrom : a[0 : n]) nowait depend(inout : a[0])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
#pragma omp target parallel for map(tofrom : a[0 : n]) nowait depend(inout : a[0])
  for (int i = 0; i < n; ++i)
    a[i] *= 3;
#pragma omp target exit data map(from : a[0 : n]) nowait depend(inout : a[0])
#pragma omp taskwait
}
static void here(int *a, int *b, int n) {
#pragma omp target parallel for map(tofrom : a[0 : n]) nowait depend(out : a[0])
  for (int i = 0; i < n; ++i)
    a[i] += 5;
#pragma omp task depend(inout : a[0])
  a[0] = 1000;
#pragma omp target parallel for map(to : a[0 : n]) map(from : b[0 : n]) nowait depend(in : a[0]) depend(out : b[0])
  for (int i = 0; i < n; ++i)
    b[i] = a[i] + a[0];
#pragma omp taskwait
}
int main(void) {
  static int a[N], b[N];
  for (int i = 0; i < N; ++i)
    a[i] = i;
#pragma omp parallel
#pragma omp single
  {
    there(a, N);
    printf("%d %d\n", a[0], a[N - 1]);
    here(a, b, N);
  }
  printf("%d %d %d %d\n", a[0], a[N - 1], b[0], b[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: there at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: there at {{.*}}: on the device, since its data is already there or empty
// CHECK-NEXT: here at {{.*}}: on the host
// CHECK-NEXT: here at {{.*}}: on the host
