// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: echo 'm: 5' > %t.unknown.yaml
// RUN: %not %ipda-trace %t.bc --args %t.unknown.yaml 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// RUN: echo 'n: [' > %t.broken.yaml
// RUN: %not %ipda-trace %t.bc --args %t.broken.yaml 2>&1 | %FileCheck %s --check-prefix=BROKEN
// RUN: echo 'x: 5' > %t.unfit.yaml
// RUN: %not %ipda-trace %t.bc --args %t.unfit.yaml 2>&1 | %FileCheck %s --check-prefix=UNFIT
// RUN: %not %ipda-trace %t.bc --args %t.nowhere.yaml 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// RUN: %not %ipda-trace %t.bc --kernel addd 2>&1 | %FileCheck %s --check-prefix=KERNEL
// RUN: %not %ipda-trace %t.unknown.yaml 2>&1 | %FileCheck %s --check-prefix=MODULE
//
// Messages about arguments name the file and the place in it.

void add(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += x[i];
}

// UNKNOWN: kernel add:{{[0-9]+}} cannot be run: {{.*}}unknown.yaml:1:1: there is no 'm' here: there are n, y, x
// BROKEN: {{.*}}broken.yaml:1:4: n: found a list, expected a number
// UNFIT: {{.*}}unfit.yaml:1:1: 'x' is a pointer: an array, such as { type: f32, count: 1000 }, or null is expected
// NOWHERE: cannot read the description of the arguments {{.*}}nowhere.yaml: No such file
// KERNEL: there is no kernel 'addd' in {{.*}}; there are: add:
// MODULE: {{.*}}unknown.yaml is no LLVM 19 module
