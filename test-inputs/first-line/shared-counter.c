// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c shared-counter.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// All threads count in one place.
//
// CHECK: [1] {{.*}}, shared-counter.c:
// CHECK-NEXT: write a reduction clause for found in place of the atomic update, if nothing in the loop uses its value: all threads wait for their turn at one place

void count(int n, const float *restrict a, int *restrict found) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : found[0 : 1])
  for (int i = 0; i < n; ++i)
    if (a[i] > 0) {
#pragma omp atomic update
      found[0]++;
    }
}
