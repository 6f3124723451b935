// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c nothing-to-do.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Neighbouring threads use neighbouring elements, and there are many.
//
// CHECK: [1] {{.*}}, nothing-to-do.c:
// CHECK-NEXT: nothing to do: neighbouring threads use neighbouring bytes

void twice(int n, const float *restrict in, float *restrict out) {
#pragma omp target teams distribute parallel for map(to : in[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    out[i] = in[i] * 2;
}
