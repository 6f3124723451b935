// REQUIRES: cuda
// A program for GPUs on a machine without one: all runs on the host, under each policy, unless a device is mandatory.
// RUN: %clang -O2 %nvptx %load %s -o %t -Wl,-rpath,%llvm-lib
// RUN: env CUDA_VISIBLE_DEVICES= %t | %FileCheck %s
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_OFFLOAD=always %t | %FileCheck %s
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_OFFLOAD=never %t | %FileCheck %s
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_OFFLOAD=model %t | %FileCheck %s
// RUN: %not --crash env CUDA_VISIBLE_DEVICES= IPDA_OFFLOAD=never OMP_TARGET_OFFLOAD=mandatory %t
// What is reported says so.
// RUN: env CUDA_VISIBLE_DEVICES= IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefixes=TOLD,CHECK
// TOLD: add at {{.*}}: on the host, by the runtime
// CHECK: 3 1002
#include <stdio.h>
enum { N = 1000 };
static void add(int *a, const int *x) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : N]) map(to : x[0 : N])
  for (int i = 0; i < N; ++i)
    a[i] += x[i];
}
int main(void) {
  static int a[N], x[N];
  for (int i = 0; i < N; ++i)
    x[i] = i;
  a[0] = a[N - 1] = 3;
  add(a, x);
  printf("%d %d\n", a[0], a[N - 1]);
}
