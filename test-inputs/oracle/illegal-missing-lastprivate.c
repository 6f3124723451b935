// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// The value of the last iteration is wanted: not that of the thread that comes last.

#ifdef CHANGED
#define LAST
#else
#define LAST lastprivate(last)
#endif

float last_of(int n, const float *x) {
  float last = 0.0f;
#pragma omp target parallel for map(to : x[0 : n]) map(tofrom : last) LAST
  for (int i = 0; i < n; ++i)
    last = x[i];
  return last;
}

// CHECK: race: {{.*}}illegal-missing-lastprivate.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-missing-lastprivate.c:19:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'last'
// CHECK: the changed kernel computes something else: last[0] is 99.0 in one and
