// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// A counter that threads add to in turn.
// ARGS: count: { type: i32, count: 1 }

void count_all(int n, const int *x, int *count) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : count[0 : 1])
  for (int i = 0; i < n; ++i)
#pragma omp critical
    *count += x[i];
}

// CHECK: 13:15 load acc0 4 100 1 1
// CHECK: 13:12 load acc1 4 100 1 1
// CHECK: 13:12 store acc2 4 100 1 1
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
