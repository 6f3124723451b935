// What a decision costs: the time of a launch that decides, less that of one under IPDA_OFFLOAD=always, in nanoseconds.
// `scripts/bench decision` runs it with many launches; table-cost-runtime.inc stands for the device's runtime, and launches nothing.
// RUN: %clang -O2 -w %x86-offload -c -x c %S/table-cost-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// RUN: %t 1000 | %FileCheck %s
// CHECK: nanoseconds {{[0-9.]+}}
// CHECK: launches on the device 1001
// CHECK: launches on the host 0
// CHECK: questions for data 0
// RUN: env IPDA_OFFLOAD=never %t 1000 | %FileCheck %s --check-prefix=NEVER
// NEVER: launches on the device 1001
// NEVER: launches on the host 0
// NEVER: questions for data 1001
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern long launched, asked, is_there;

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

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1e9 + at.tv_nsec;
}

int main(int argc, char **argv) {
  long count = argc > 1 ? atol(argv[1]) : 1;
  static float data[64];
  // Whoever asks is told that the data is on the device.
  is_there = 1;
  gemm(2000, 2000, 2000, 1, 2, data, data, data);
  double start = now();
  for (long launch = 0; launch < count; ++launch)
    gemm(2000 + (launch & 1), 2000, 2000, 1, 2, data, data, data);
  printf("nanoseconds %.1f\n", (now() - start) / count);
  printf("launches on the device %ld\n", launched);
  printf("launches on the host %ld\n", count + 1 - launched);
  printf("questions for data %ld\n", asked);
}
