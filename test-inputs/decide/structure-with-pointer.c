// RUN: %policies | %FileCheck %s
// A pointer inside of a structure may be the device's, which nothing shows: the launch maps the structure alone. Copied into a variable and
// mapped with an array section, it is host data by the program's word.
#include <omp.h>
#include <stdio.h>
enum { N = 1000 };
struct vector {
  int *data;
  int length;
};
static void hidden(struct vector v) {
#pragma omp target teams distribute parallel for map(to : v)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it follows pointers that it finds in memory, which may be the device's; copy them into variables
  for (int i = 0; i < v.length; ++i)
    v.data[i] = i;
}
static void member(struct vector *v) {
#pragma omp target teams distribute parallel for map(tofrom : v->data[0 : v->length])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: it follows pointers that it finds in memory
  for (int i = 0; i < v->length; ++i)
    v->data[i] += 2;
}
static void copied(struct vector v) {
  int *data = v.data, n = v.length;
#pragma omp target teams distribute parallel for map(tofrom : data[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    data[i] += 3;
}
struct numbers {
  int length;
  int data[N];
};
static void whole(struct numbers *all) {
#pragma omp target teams distribute parallel for map(tofrom : all[0 : 1])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < all->length; ++i)
    all->data[i] += 4;
}
int main(void) {
  static int a[N];
  static struct numbers all = {.length = N};
  int device = omp_get_default_device(), host = omp_get_initial_device();
  struct vector there = {omp_target_alloc(sizeof a, device), N}, here = {a, N};
  hidden(there);
  omp_target_memcpy(a, there.data, sizeof a, 0, 0, host, device);
  omp_target_free(there.data, device);
  member(&here);
  copied(here);
  whole(&all);
  printf("%d %d %d\n", a[1], a[N - 1], all.data[N - 1]);
}
// CHECK: under never:
// CHECK-NEXT: copied at {{.*}}: on the host
// CHECK-NEXT: whole at {{.*}}: on the host
