// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c map-read-only.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// x is only read, and its map clause copies it back all the same.
//
// CHECK: [1] {{.*}}, map-read-only.c:
// CHECK-NEXT: done by the plugin: x is never written, and is not copied back
// CHECK-NEXT: in the source: write map(to: x) in place of tofrom

void add(int n, float *restrict y, const float *restrict x) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n], x[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}
