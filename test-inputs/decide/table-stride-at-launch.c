// What a launch's values say of the distance between threads is in its prediction: with max = 1000 every thread needs sectors of its own. What is
// mapped is the same each time.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 | %FileCheck %s
#include <stdio.h>

enum { N = 4000, MOST = 1000 };
static float A[N * MOST];

static void fill(int n, int max, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : N * MOST])
  for (int a = 0; a < n; ++a)
    for (int k = 0; k < 100; ++k)
      x[max * a] += k;
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  fill(N, 1, A);
  fill(N, 1000, A);
  fill(N, 1, A);
  printf("%g %g\n", A[0], A[1000]);
}

// CHECK: (n = 4000, max = 1): on the host; predicted [[HOST:.*]] s on the host, [[DEVICE:.*]] s there
// CHECK-NOT: predicted [[HOST]] s on the host
// CHECK-NOT: [[DEVICE]] s there
// CHECK: (n = 4000, max = 1000): on the host
// CHECK: (n = 4000, max = 1): on the host; predicted [[HOST]] s on the host, [[DEVICE]] s there
// CHECK: 14850 14850
