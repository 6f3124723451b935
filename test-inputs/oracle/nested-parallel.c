// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// A parallel loop inside of a parallel loop runs on the one thread that meets it.
// ARGS: n: 20
// ARGS: m: 15

void fill(int n, int m, float *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : n * m])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      a[i * m + j] = (float)(i + j);
  }
}

// CHECK: 15:20 store acc0 4 15 20 20 stride 4*[m] yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
