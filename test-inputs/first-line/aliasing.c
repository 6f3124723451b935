// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c aliasing.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// Nothing says that a and b are apart: the kernel tests it.
//
// CHECK: [1] {{.*}}, aliasing.c:
// CHECK-NEXT: done by the plugin: collapse(2) over i and j (12 sectors a warp instead of 96, with sizes of 1021)
// CHECK-NEXT: in the source: add collapse(2) to the directive, if b and a do not overlap

void smooth(int n, int m, float *a, float *b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[i * m + j];
}
