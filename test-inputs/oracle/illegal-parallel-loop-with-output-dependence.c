// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Iterations overwrite what the ones before have written, and the last one counts.
// ARGS: n: 4
// ARGS: m: 70
// ARGS: x: { type: f32, count: 280, fill: index }

void last_of_pair(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute map(to : x[0 : n * m]) map(tofrom : y[0 : n * m])
  for (int i = 0; i < n; ++i) {
#ifdef CHANGED
#pragma omp parallel for
#endif
    for (int j = 0; j < m; ++j)
      y[i * m + j / 2] = x[i * m + j];
  }
}

// CHECK: race: {{.*}}illegal-parallel-loop-with-output-dependence.c:19:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-parallel-loop-with-output-dependence.c:19:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'y'
// CHECK: the changed kernel computes something else: y[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
