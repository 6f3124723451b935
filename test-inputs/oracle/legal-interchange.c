// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The twin of illegal-interchange.c: each element needs the one above to the left, which is there in both orders.
// ARGS: planes: 40
// ARGS: n: 6
// ARGS: m: 9

void sweep(int planes, int n, int m, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : planes * n * m])
  for (int k = 0; k < planes; ++k)
#ifdef CHANGED
    for (int j = 1; j < m; ++j)
      for (int i = 1; i < n; ++i)
#else
    for (int i = 1; i < n; ++i)
      for (int j = 1; j < m; ++j)
#endif
        a[(k * n + i) * m + j] = a[(k * n + i - 1) * m + j - 1] + 1.0f;
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
