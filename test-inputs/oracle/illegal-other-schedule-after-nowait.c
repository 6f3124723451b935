// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Without a wait between two loops, a thread may only read what it has written itself. Equal schedules see to that; here the second
// loop gets another one.  legal-nowait-between-equal-schedules.c is the twin.
// ARGS: launch: { teams: 1 }

#ifdef CHANGED
#define SECOND schedule(static, 1)
#else
#define SECOND schedule(static, 4)
#endif

void two_steps(int n, const float *a, float *b, float *c) {
#pragma omp target parallel map(to : a[0 : n]) map(from : b[0 : n], c[0 : n])
  {
#pragma omp for schedule(static, 4) nowait
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp for SECOND
    for (int i = 0; i < n; ++i)
      c[i] = b[i] + 1.0f;
  }
}

// CHECK: race: {{.*}}illegal-other-schedule-after-nowait.c:22:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-other-schedule-after-nowait.c:25:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'b'
// CHECK: the changed kernel computes something else: c[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
