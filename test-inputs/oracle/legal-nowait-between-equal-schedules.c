// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Without a wait between two loops of one schedule, each thread reads only what it has written itself.
// ARGS: launch: { teams: 1 }

#ifdef CHANGED
#define WAIT nowait
#else
#define WAIT
#endif

void two_steps(int n, const float *a, float *b, float *c) {
#pragma omp target parallel map(to : a[0 : n]) map(from : b[0 : n], c[0 : n])
  {
#pragma omp for schedule(static, 4) WAIT
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp for schedule(static, 4)
    for (int i = 0; i < n; ++i)
      c[i] = b[i] + 1.0f;
  }
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
