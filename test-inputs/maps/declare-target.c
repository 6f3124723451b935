// RUN: %copied -g | %FileCheck %s
// A variable of `declare target` is on the device from the device's first use on: a launch that maps it by a pointer reads what is there, even if it is that
// first use, and not what the host has written meanwhile.
#include "copied.inc"
enum { N = 1000 };
#pragma omp declare target
int there[N];
#pragma omp end declare target

static long sum(int *x, int n, int device) {
  long found = 0;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: x is never written here
#pragma omp target map(tofrom : x[0 : n], found) device(device)
  for (int i = 0; i < n; ++i)
    found += x[i] * (i + 1);
  return found;
}

static void fill(int *x, int n) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: x is overwritten here
#pragma omp target map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = i;
}

static void on_device(int value) {
#pragma omp target
  there[0] += value;
}

int main(void) {
  static int other[N];
  there[2] = 9;
  printf("%ld\n", sum(there, N, 0));
  copied("there");
  printf("%ld\n", sum(there, N, 1));
  copied("on another");
  on_device(5);
  printf("%ld\n", sum(there, N, 0));
  fill(there, N);
  copied("filled");
  printf("%d %ld\n", there[2], sum(there, N, 0));
  other[1] = 4;
  printf("%ld\n", sum(other, N, 0));
  copied("another");
}
// CHECK: {{^0$}}
// CHECK-NEXT: {{^0$}}
// CHECK-NEXT: {{^5$}}
// CHECK-NEXT: 9 333
// CHECK-NEXT: 8
// CHECK-NEXT: without:
// CHECK-NEXT: there: 8 bytes there, 8 back
// CHECK-NEXT: on another: 8 bytes there, 8 back
// CHECK-NEXT: filled: 8 bytes there, 8 back
// CHECK-NEXT: another: 4016 bytes there, 4016 back
// CHECK-NEXT: with:
// CHECK-NEXT: there: 8 bytes there, 8 back
// CHECK-NEXT: on another: 8 bytes there, 8 back
// CHECK-NEXT: filled: 8 bytes there, 8 back
// CHECK-NEXT: another: 4016 bytes there, 16 back
