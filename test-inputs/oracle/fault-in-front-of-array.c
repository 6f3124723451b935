// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// The index of the first iteration is below 0.
// ARGS: n: 20

void differences(int n, const double *x, double *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i] - x[i - 1];
}

// CHECK: {{.*}}fault-in-front-of-array.c:12:19: the access reads 8 bytes at byte -8 of 'x', which has 524288 bytes (team 0, thread 0)
