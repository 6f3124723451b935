// RUN: %policies | %FileCheck %s
// What a function elsewhere does, nobody knows; neither what the runtime does for each thread.
#include <stdio.h>
#include <stdlib.h>
enum { N = 100 };
static int per_thread;
#pragma omp threadprivate(per_thread)
int (*chosen)(int);
static int one(int i) { return i + 1; }
static int two(int i) { return i + 2; }
static void prints(int *a) {
#pragma omp target map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: not all of its code is followed: printf is not defined in this file
  printf("%d\n", ++a[0]);
}
static void allocates(int *a) {
#pragma omp target map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  {
    int *b = malloc(N * sizeof *b);
    for (int i = 0; i < N; ++i)
      b[i] = a[i] + i;
    for (int i = 0; i < N; ++i)
      a[i] = b[N - 1 - i];
    free(b);
  }
}
static void indirect(int *a, int which) {
#pragma omp target map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark:
  {
    int (*f)(int) = which ? one : two;
    for (int i = 0; i < N; ++i)
      a[i] = f(a[i]);
  }
}
static void assembly(int *a) {
#pragma omp target map(tofrom : a[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device: {{.*}}ssembly
  __asm__ volatile("" : "+m"(a[0]));
}
int main(void) {
  static int a[N];
  prints(a);
  fflush(stdout);
  allocates(a);
  indirect(a, 1);
  assembly(a);
  printf("%d %d\n", a[0], a[N - 1]);
}
// CHECK: under never:
