// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c wrong-order-collapse.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// The loops stand in the wrong order under collapse: neighbouring threads are n elements apart. The plugin swaps
// them.
//
// CHECK: [1] {{.*}}, wrong-order-collapse.c:
// CHECK-NEXT: done by the plugin: loops x and y interchanged in collapse(2) (8 sectors a warp instead of 64, with sizes of 1021)
// CHECK-NEXT: in the source: swap x and y in collapse(2)

void scale(int n, int m, float *restrict a, const float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * m]) map(to : b[0 : n * m])
  for (int x = 0; x < n; ++x)
    for (int y = 0; y < m; ++y)
      a[y * n + x] = 2 * b[y * n + x];
}
