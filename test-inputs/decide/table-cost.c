// What a decision costs: the time of a launch that decides, less that of one under IPDA_OFFLOAD=always, which `scripts/bench decision` takes
// of many: of the same sizes, or (`new`) of other ones than the last time, or (`apart`) with data that is not on the device, so that launches have measured
// themselves. table-cost-runtime.inc stands for the launch itself, and launches nothing; all
// else is the runtime's.
// RUN: %clang -O2 -w -c -x c %S/table-cost-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// RUN: %t 1000 | %FileCheck %s
// RUN: %t 1000 new | %FileCheck %s
// RUN: %t 1000 apart | %FileCheck %s
// RUN: %t 1000 new products | %FileCheck %s
// The data is there: whatever is asked for, the device is taken.
// RUN: env IPDA_OFFLOAD=never %t 1000 | %FileCheck %s
// CHECK: {{^[0-9.]+}} nanoseconds, 1001 launches
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef LAUNCHES
// With the runtime's launches: of a loop over few rows.
enum { ROWS = 2, launched = 0L };
#else
enum { ROWS = 2000 };
extern long launched;
#endif

__attribute__((noinline)) static void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

// Of the regions in test-inputs the one whose prediction has most steps (measure/covariance.c).
__attribute__((noinline)) static void products(int n, const float *data, float *covariance) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * n]) map(from : covariance[0 : n * n])
  for (int a = 0; a < n; ++a)
    for (int b = a; b < n; ++b) {
      covariance[a * n + b] = 0;
      for (int i = 0; i < n; ++i)
        covariance[a * n + b] += data[i * n + a] * data[i * n + b];
      covariance[a * n + b] /= n - 1;
      covariance[b * n + a] = covariance[a * n + b];
    }
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1e9 + at.tv_nsec;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1;
  int is_apart = argc > 2 && !strcmp(argv[2], "apart"), changes = argc > 2 && !is_apart, largest = argc > 3;
  static float data[64];
#pragma omp target enter data map(to : data) if (!is_apart)
  gemm(ROWS, ROWS, ROWS, 1, 2, data, data, data);
  double start = now();
  for (long launch = 0; launch < count; ++launch) {
    int size = ROWS + (changes & launch);
    if (largest)
      products(size, data, data);
    else
      gemm(size, ROWS, ROWS, 1, 2, data, data, data);
  }
  printf("%.1f nanoseconds, %ld launches\n", (now() - start) / count, (long)launched);
}
