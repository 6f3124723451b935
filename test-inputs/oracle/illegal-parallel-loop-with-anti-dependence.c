// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Each iteration reads what the next one overwrites.
// ARGS: n: 4
// ARGS: m: 70
// ARGS: a: { type: f32, count: 284, fill: index }

void shift(int n, int m, float *a) {
#pragma omp target teams distribute map(tofrom : a[0 : n * (m + 1)])
  for (int i = 0; i < n; ++i) {
#ifdef CHANGED
#pragma omp parallel for
#endif
    for (int j = 0; j < m; ++j)
      a[i * (m + 1) + j] = a[i * (m + 1) + j + 1];
  }
}

// CHECK: race: {{.*}}illegal-parallel-loop-with-anti-dependence.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-parallel-loop-with-anti-dependence.c:19:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'a'
// CHECK: the changed kernel computes something else: a[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
