// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// One thread prepares, all go on after the barrier that ends `single`; behind `master` the barrier is the source's own.
// ARGS: launch: { teams: 1 }
// ARGS: n: 50
// ARGS: start: { type: i32, count: 2 }

void two_starts(int n, int *start, int *out) {
#pragma omp target parallel map(tofrom : start[0 : 2], out[0 : n])
  {
#pragma omp single
    start[0] = n;
#pragma omp for
    for (int i = 0; i < n; ++i)
      out[i] = start[0] + i;
#pragma omp master
    start[1] = 2 * n;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i)
      out[i] += start[1];
  }
}

// CHECK: 15:14 store acc0 4 1 1 1 1 yes
// CHECK: 18:16 load acc1 4 2 25 1 1 yes
// CHECK: 18:14 store acc2 4 2 25 3.50 4..5 yes
// CHECK: 20:14 store acc3 4 1 1 1 1 yes
// CHECK: 24:17 load acc4 4 2 25 1 1 yes
// CHECK: 24:14 load acc5 4 2 25 3.50 4..5 yes
// CHECK: 24:14 store acc6 4 2 25 3.50 4..5 yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
