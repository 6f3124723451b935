// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// Threads run i % 7 steps. Lanes in different steps do not mix: step j of a warp has the lanes with i % 7 > j. Three warps, six steps
// each, are 18 accesses, and the sums of i % 7 over the warps are 90, 99 and 94: 283 / 18 = 15.72 lanes.
// ARGS: launch: { teams: 1, threads: 96 }
// ARGS: n: 96

void steps(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 8 * n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < i % 7; ++j)
      sum += x[i + 96 * j];
    y[i] = sum;
  }
}

// CHECK: 16:14 load acc0 4 18 15.72 4 4..5 yes
// CHECK: 17:10 store acc1 4 3 32 4 4..5 yes
// CHECK: lanes go different ways at {{.*}}:15:5: 18 of 21 times
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
