// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Each thread sweeps a plane of its own, and each element needs the one above to the right: rows in order, then columns. With the two
// loops swapped, the element above to the right is not there yet. No thread touches what is another's: there is no race to see.
// ARGS: planes: 40
// ARGS: n: 6
// ARGS: m: 9

void sweep(int planes, int n, int m, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : planes * n * m])
  for (int k = 0; k < planes; ++k)
#ifdef CHANGED
    for (int j = 0; j < m - 1; ++j)
      for (int i = 1; i < n; ++i)
#else
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < m - 1; ++j)
#endif
        a[(k * n + i) * m + j] = a[(k * n + i - 1) * m + j + 1] + 1.0f;
}

// CHECK: kernel sweep:{{[0-9]+}}: {{[0-9]+}} found in {{[0-9]+}} launches
// CHECK-NOT: race
// CHECK: the changed kernel computes something else: a[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
