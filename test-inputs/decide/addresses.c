// RUN: %policies | %FileCheck %s
// Addresses differ between host and device, so that what is computed from them may. A structure or a union hands them on unseen.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { N = 100 };
struct place {
  int *at;
  int index[7];
};
static void compared(int *a, int *b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N], b[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it uses addresses as values
  for (int i = 0; i < N; ++i)
    a[i] += &a[i] < b;
}
static void computed(long *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it uses addresses as values
  for (int i = 0; i < N; ++i)
    a[i] += (uintptr_t)&a[i] % 8;
}
static void stored(int *a, int **all) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(tofrom : all[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it uses addresses as values
  for (int i = 0; i < N; ++i)
    all[i] = &a[i];
}
static void in_structure(int *a, struct place *all, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(tofrom : all[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i) {
    struct place here = {&a[i], {0}};
    here.index[i % n] = i;
    all[i] = here;
  }
}
static void as_number(int *a, uintptr_t *all, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(tofrom : all[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i) {
    union {
      int *at;
      uintptr_t number;
      char bytes[sizeof(int *)];
    } here[2] = {{&a[i]}, {&a[i]}};
    all[i] = here[i % n].number;
  }
}
static void by_bytes(int *a, uintptr_t *all, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : N]) map(tofrom : all[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < N; ++i) {
    int *here[2] = {&a[i], &a[i]};
    memcpy(&all[i], &here[i % n], sizeof all[i]);
  }
}
static void difference(int *a, int *result) {
#pragma omp target map(to : a[0 : N]) map(from : result[0 : 1])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it uses addresses as values
  {
    int *end = a;
    while (*end)
      ++end;
    *result = end - a;
  }
}
static void walks(int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    int *here = i % 2 ? a + i : a + (N - 2 - i);
    *here += 1;
  }
}
int main(void) {
  static int a[N], b[N], result;
  static long c[N];
  static int *all[N];
  static struct place places[N];
  static uintptr_t numbers[N];
  compared(a, b);
  computed(c);
  stored(a, all);
  in_structure(a, places, 7);
  as_number(a, numbers, 2);
  by_bytes(a, numbers, 2);
  a[5] = 0;
  difference(a, &result);
  walks(b);
  printf("%ld %d %d\n", c[3], result, b[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: walks at {{.*}}: on the host
// CHECK-NOT: on the
