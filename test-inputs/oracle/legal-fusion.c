// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The twin of illegal-fusion.c: the second loop reads the element that the first has just written.
// ARGS: n: 60

void two_steps(int n, const float *a, float *b, float *c) {
#ifdef CHANGED
#pragma omp target parallel for map(to : a[0 : n]) map(tofrom : b[0 : n], c[0 : n])
  for (int i = 0; i < n; ++i) {
    b[i] = 2.0f * a[i];
    c[i] = b[i];
  }
#else
#pragma omp target parallel map(to : a[0 : n]) map(tofrom : b[0 : n], c[0 : n])
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp for
    for (int i = 0; i < n; ++i)
      c[i] = b[i];
  }
#endif
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
