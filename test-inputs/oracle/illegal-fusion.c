// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The second loop reads the element behind the one that the first has just written: in one loop it is not there yet.
// ARGS: n: 60

void two_steps(int n, const float *a, float *b, float *c) {
#ifdef CHANGED
#pragma omp target parallel for map(to : a[0 : n]) map(tofrom : b[0 : n], c[0 : n])
  for (int i = 0; i < n; ++i) {
    b[i] = 2.0f * a[i];
    if (i < n - 1)
      c[i] = b[i + 1];
  }
#else
#pragma omp target parallel map(to : a[0 : n]) map(tofrom : b[0 : n], c[0 : n])
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp for
    for (int i = 0; i < n - 1; ++i)
      c[i] = b[i + 1];
  }
#endif
}

// CHECK: race: {{.*}}illegal-fusion.c:16:{{[0-9]+}} reads{{.*}} and {{.*}}illegal-fusion.c:14:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'b'
// CHECK: the changed kernel computes something else: c[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
