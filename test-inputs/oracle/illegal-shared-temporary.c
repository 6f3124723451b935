// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Each thread needs a variable of its own for the element that it moves. Declared a level further out, the threads of a team share it.
// ARGS: n: 4
// ARGS: m: 70

void swap_halves(int n, int m, float *a, float *b) {
#pragma omp target teams distribute map(tofrom : a[0 : n * m], b[0 : n * m])
  for (int i = 0; i < n; ++i) {
#ifdef CHANGED
    float t;
#endif
#pragma omp parallel for
    for (int j = 0; j < m; ++j) {
#ifndef CHANGED
      float t;
#endif
      t = a[i * m + j];
      a[i * m + j] = b[i * m + j];
      b[i * m + j] = t;
    }
  }
}

// CHECK: race: {{.*}}illegal-shared-temporary.c:22:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-shared-temporary.c:22:{{[0-9]+}} writes{{.*}}, without order, memory shared by a team
// CHECK: race: {{.*}}illegal-shared-temporary.c:24:{{[0-9]+}} reads{{.*}} and {{.*}}illegal-shared-temporary.c:22:{{[0-9]+}} writes{{.*}}, without order, memory shared by a team
// CHECK: the changed kernel computes something else: b[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
