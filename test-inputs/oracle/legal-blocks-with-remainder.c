// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The twin of illegal-missing-last-iteration.c.
// ARGS: n: 50

void scale(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
#ifdef CHANGED
  for (int block = 0; block < (n + 3) / 4; ++block)
    for (int i = 4 * block; i < 4 * block + 4 && i < n; ++i)
#else
  for (int i = 0; i < n; ++i)
#endif
      y[i] = 3.0f * x[i] + 1.0f;
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
