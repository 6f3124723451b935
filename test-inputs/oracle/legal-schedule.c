// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Who runs which iteration may change where iterations do not need each other.

#ifdef CHANGED
#define SCHEDULE schedule(dynamic, 3)
#else
#define SCHEDULE schedule(static, 1)
#endif

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n]) SCHEDULE
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
