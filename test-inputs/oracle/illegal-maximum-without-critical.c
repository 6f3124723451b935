// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A thread reads the maximum, compares and stores: no other may come in between.
// ARGS: best: { type: f32, count: 1, fill: { constant: 0 } }

void maximum(int n, const float *x, float *best) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : best[0 : 1])
  for (int i = 0; i < n; ++i) {
#ifndef CHANGED
#pragma omp critical
#endif
    if (x[i] > *best)
      *best = x[i];
  }
}

// CHECK: race: {{.*}}illegal-maximum-without-critical.c:17:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-maximum-without-critical.c:16:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'best'
// CHECK: race: {{.*}}illegal-maximum-without-critical.c:17:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-maximum-without-critical.c:17:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'best'
