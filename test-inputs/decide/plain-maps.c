// RUN: %policies | %FileCheck %s
// What a launch maps is copied there and back, so that the host's version does the same where the host's memory is the only one.
#include <stdio.h>
enum { N = 1000 };
static void scale(float *y, const float *x, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host as well, if IPDA_OFFLOAD says so when the program runs
  for (int i = 0; i < n; ++i)
    y[i] += 2 * x[i];
}
static void fill(float *y, int n) {
#pragma omp target teams distribute parallel for map(from : y[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may
  for (int i = 0; i < n; ++i)
    y[i] = i;
}
static long sum(const int *x, int n) {
  long total = 0;
#pragma omp target teams distribute parallel for reduction(+ : total) map(to : x[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may
  for (int i = 0; i < n; ++i)
    total += x[i];
  return total;
}
static void shift(float *y, const float *table, int n) {
#pragma omp target teams distribute parallel for map(to : table[0 : 64]) map(tofrom : y[0 : n])
// What is mapped and not used, as where a clause is copied from another region, is in nobody's way.
// CHECK: :[[@LINE-2]]:{{[0-9]+}}: remark: each launch may
  for (int i = 0; i < n; ++i)
    y[i] -= 1;
}
int main(void) {
  static float x[N], y[N];
  static int numbers[N];
  for (int i = 0; i < N; ++i)
    x[i] = numbers[i] = i % 7;
  fill(y, N);
  scale(y, x, N);
  scale(y, x, N / 2);
  shift(y, x, N);
  printf("%g %g %ld\n", y[10], y[N - 1], sum(numbers, N));
}
// CHECK: under never:
// CHECK-NEXT: fill at {{.*}}: on the host
// CHECK-NEXT: scale at {{.*}}: on the host
// CHECK-NEXT: scale at {{.*}}: on the host
// CHECK-NEXT: shift at {{.*}}: on the host
// CHECK-NEXT: sum at {{.*}}: on the host
