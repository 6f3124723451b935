// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A small array of each thread is no global memory: only x and y are reported, 16 and 4 bytes apart.

void median_of_four(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 4 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float v[4];
    for (int k = 0; k < 4; ++k)
      v[k] = x[4 * i + k];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3 - a; ++b)
        if (v[b] > v[b + 1]) {
          float t = v[b];
          v[b] = v[b + 1];
          v[b + 1] = t;
        }
    y[i] = 0.5f * (v[1] + v[2]);
  }
}

// CHECK: region 'median_of_four' at {{.*}}local-array.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
