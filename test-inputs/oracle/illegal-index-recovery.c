// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Two loops fused by hand: the row is the number divided by the length of a row, not the remainder.
// ARGS: n: 7
// ARGS: m: 12

void outer_product(int n, int m, const float *x, const float *y, float *a) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : m]) map(from : a[0 : n * m])
  for (int c = 0; c < n * m; ++c) {
    int i = c % n;
    int j = c % m;
    a[c] = x[i] * y[j];
  }
#else
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n], y[0 : m]) map(from : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = x[i] * y[j];
#endif
}

// CHECK: kernel outer_product:{{[0-9]+}}: {{[0-9]+}} found in {{[0-9]+}} launches
// CHECK-NOT: race
// CHECK: the changed kernel computes something else: a[1] is 0.0 in one and 1.0 in the other; 66 elements differ in all
