// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c indirect-gather.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Which elements of x neighbouring threads read is in col: no other loops would help.
//
// CHECK: [1] {{.*}}, indirect-gather.c:
// CHECK-NEXT: nothing to do: the data decide (x[col[..]])

void gather(int n, int m, float *restrict y, const float *restrict x, const int *restrict col) {
#pragma omp target teams distribute parallel for map(from : y[0 : n]) map(to : x[0 : m], col[0 : n])
  for (int k = 0; k < n; ++k)
    y[k] = x[col[k]];
}
