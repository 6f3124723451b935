// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A kernel takes its arrays in the order in which it first names them: the changed one takes x, y, z in another order, and w not at all.

void add(int n, const float *x, const float *y, const float *w, float *z) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], y[0 : n], w[0 : n]) map(tofrom : z[0 : n])
  for (int i = 0; i < n; ++i) {
#ifdef CHANGED
    float t = z[i];
    t += y[i];
    z[i] = t + x[i];
#else
    z[i] += x[i] + y[i] + 0 * (int)w[i];
#endif
  }
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
