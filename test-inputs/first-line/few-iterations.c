// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c few-iterations.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Eight iterations, and nothing inside that others could share.
//
// CHECK: [1] {{.*}}, few-iterations.c:
// CHECK-NEXT: leave the loop over i to the host, or put more work into one launch: 8 iterations keep 8 of a GPU's thousands of threads busy

void rotate(const float *restrict in, float *restrict out) {
#pragma omp target teams distribute parallel for map(to : in[0 : 8]) map(from : out[0 : 8])
  for (int i = 0; i < 8; ++i)
    out[i] = in[i] * 2;
}
