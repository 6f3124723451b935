// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Each element needs its neighbours of before: they may not be overwritten in the same loop.

void smooth(int n, float *a, float *b) {
#ifdef CHANGED
  b = a;
#endif
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 1; i < n - 1; ++i)
#ifdef CHANGED
    a[i] = a[i - 1] + 2.0f * a[i] + a[i + 1];
#else
    b[i] = a[i - 1] + 2.0f * a[i] + a[i + 1];
#endif
}

// CHECK: race: {{.*}}illegal-stencil-in-place.c:16:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-stencil-in-place.c:16:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'a'
// CHECK: the changed kernel computes something else: b[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
