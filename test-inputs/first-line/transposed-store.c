// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c transposed-store.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Loads along rows, stores along columns: any order of the loops suits one of them, and tiles of lanes are a compromise.
//
// CHECK: [1] {{.*}}, transposed-store.c:
// CHECK-NEXT: move tiles of out through an array of the team (shared memory): no order of the loops suits both out and in: 33 % of the traffic is waste, with 128 for m and n

void transpose(int n, int m, float *restrict out, const float *restrict in) {
#pragma omp target teams distribute parallel for collapse(2) map(from : out[0 : n * m]) map(to : in[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      out[j * n + i] = in[i * m + j];
}
