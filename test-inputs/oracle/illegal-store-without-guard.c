// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The store belongs to the condition.
// ARGS: y: { type: f32, count: 100, fill: { constant: 7 } }

void clamp(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
#ifdef CHANGED
    y[i] = x[i] > 40.0f ? 40.0f : x[i];
#else
    if (x[i] > 40.0f)
      y[i] = 40.0f;
#endif
  }
}

// CHECK: kernel clamp:{{[0-9]+}}: {{[0-9]+}} found in {{[0-9]+}} launches
// CHECK-NOT: race
// CHECK: the changed kernel computes something else: y[0] is 7.0 in one and 0.0 in the other; 40 elements differ in all
