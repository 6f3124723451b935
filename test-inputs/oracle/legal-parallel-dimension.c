// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The other loop of a transposition made parallel: neighbouring threads then write neighbouring elements.
// ARGS: n: 13
// ARGS: m: 37

void transpose(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
#ifdef CHANGED
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
#else
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
#endif
      b[j * n + i] = a[i * m + j];
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
