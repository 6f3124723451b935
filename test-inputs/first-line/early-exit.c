// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c early-exit.c
// RUN: %ipda report %t.yaml --width 300 | %FileCheck %s
//
// The inner loop ends early, and where it does is its result: the least of all such places, which threads can find together.
//
// CHECK: [1] {{.*}}, early-exit.c:
// CHECK-NEXT: let each iteration compute by itself what is used behind the loop, if it can; a sum, or the least or the greatest of values, the threads of a team can find together, by parallel for reduction: 87 %

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
