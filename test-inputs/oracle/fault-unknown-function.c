// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml 2>&1 | %FileCheck %s
//
// A function of another file, whose code is not there.

#pragma omp declare target
float weight(int i);
#pragma omp end declare target

void apply(int n, float *y) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] *= weight(i);
}

// CHECK: {{.*}}fault-unknown-function.c:15:13: the call of `weight`, whose code is not in the module, cannot be run here
