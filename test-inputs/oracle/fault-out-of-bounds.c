// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// An array with 90 elements for 100 iterations.
// ARGS: x: { type: f32, count: 90 }

void copy(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] =
        x[i];
}

// CHECK: ipda trace: kernel copy:10 cannot be run: {{.*}}fault-out-of-bounds.c:13:9: the access reads 4 bytes at byte 384 of 'x', which has 360 bytes (team 1, thread 32)
