// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c one-team.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Without teams, one team has all the work.
//
// CHECK: [1] {{.*}}, one-team.c:
// CHECK-NEXT: write target teams distribute parallel for: one team shares the loop over i, and the rest of the GPU is idle

void add(int n, float *restrict y, const float *restrict x) {
#pragma omp target parallel for map(tofrom : y[0 : n]) map(to : x[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}
