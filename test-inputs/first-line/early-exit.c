// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c early-exit.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// The inner loop ends early, so that nobody knows how often it runs before it does.
//
// CHECK: [1] {{.*}}, early-exit.c:
// CHECK-NEXT: replace break, return or goto by a condition around the rest of the body; then collapse(2) over i and j may be possible: 87 % of the traffic is waste, with 128 for m and n

void find(int n, int m, const float *restrict a, int *restrict first) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : first[0 : n])
  for (int i = 0; i < n; ++i) {
    first[i] = m;
    for (int j = 0; j < m; ++j)
      if (a[i * m + j] < 0) {
        first[i] = j;
        break;
      }
  }
}
