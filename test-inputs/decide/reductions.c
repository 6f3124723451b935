// RUN: %policies | %FileCheck %s
// Reductions of whole numbers, whose order does not matter, of arrays, and atomic updates.
#include <stdio.h>
enum { N = 1000 };
static void all(const int *x, int *histogram) {
  long sum = 5;
  int most = -1, bits = 0, both[2] = {1, 2};
#pragma omp target teams distribute parallel for map(to : x[0 : N]) reduction(+ : sum) reduction(max : most) reduction(| : bits)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    sum += x[i];
    most = x[i] > most ? x[i] : most;
    bits |= x[i];
  }
#pragma omp target teams distribute parallel for map(to : x[0 : N]) reduction(+ : both)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: {{each launch may|its launches stay}}
  for (int i = 0; i < N; ++i) {
    both[0] += x[i];
    both[1] -= x[i];
  }
#pragma omp target teams distribute parallel for map(to : x[0 : N]) map(tofrom : histogram[0 : 10])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
#pragma omp atomic
    ++histogram[x[i] % 10];
  }
#pragma omp target parallel for map(tofrom : sum)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
#pragma omp critical
    sum += i;
  }
  printf("%ld %d %d %d %d\n", sum, most, bits, both[0], both[1]);
}
int main(void) {
  static int x[N], histogram[10];
  for (int i = 0; i < N; ++i)
    x[i] = i * 7 % 256;
  all(x, histogram);
  printf("%d %d\n", histogram[0], histogram[9]);
}
// CHECK: under never:
// CHECK-NEXT: all at {{.*}}: on the host
