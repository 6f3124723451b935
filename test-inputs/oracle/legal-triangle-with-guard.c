// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A triangle as a rectangle that leaves out what does not belong to it.
// ARGS: n: 12
// ARGS: a: { type: f32, count: 78 }

void fill_triangle(int n, float *a) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * (n + 1) / 2])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (j <= i)
#else
#pragma omp target teams distribute parallel for map(from : a[0 : n * (n + 1) / 2])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
#endif
        a[i * (i + 1) / 2 + j] = (float)(100 * i + j);
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
