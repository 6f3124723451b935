// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The second loop reads what other threads have written in the first: the wait between the two is needed.
// ARGS: launch: { teams: 1 }
// ARGS: n: 90

#ifdef CHANGED
#define WAIT nowait
#else
#define WAIT
#endif

void twice_and_reverse(int n, const float *a, float *b, float *c) {
#pragma omp target parallel map(to : a[0 : n]) map(from : b[0 : n], c[0 : n])
  {
#pragma omp for WAIT
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp for
    for (int i = 0; i < n; ++i)
      c[i] = b[n - 1 - i];
  }
}

// CHECK: race: {{.*}}illegal-nowait.c:25:{{[0-9]+}} reads{{.*}} and {{.*}}illegal-nowait.c:22:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'b'
// CHECK: the changed kernel computes something else: c[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
