// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// Threads add to counters that others add to as well.

void histogram(int n, const int *data, int *bins) {
#pragma omp target teams distribute parallel for map(to : data[0 : n]) map(tofrom : bins[0 : 16])
  for (int i = 0; i < n; ++i) {
#ifndef CHANGED
#pragma omp atomic
#endif
    bins[data[i] % 16] += 1;
  }
}

// CHECK: race: {{.*}}illegal-histogram-without-atomic.c:15:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-histogram-without-atomic.c:15:{{[0-9]+}} reads{{.*}}, without order, byte {{[0-9]+}} of 'bins'
// CHECK: race: {{.*}}illegal-histogram-without-atomic.c:15:{{[0-9]+}} writes{{.*}} and {{.*}}illegal-histogram-without-atomic.c:15:{{[0-9]+}} writes{{.*}}, without order, byte {{[0-9]+}} of 'bins'
// CHECK: the changed kernel computes something else: bins[{{[0-9]+}}] is {{.+}} in one and {{.+}} in the other
