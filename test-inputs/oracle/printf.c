// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// What a kernel prints is shown, in the order in which threads came.
// ARGS: launch: { teams: 1, threads: 32 }
// ARGS: n: 3

int printf(const char *, ...);

void say(int n, const double *x) {
#pragma omp target parallel for map(to : x[0 : n])
  for (int i = 0; i < n; ++i)
    printf("element %d is %.2f, %s\n", i, x[i] / 4, i % 2 ? "odd" : "even");
}

// CHECK: the kernel printed:
// CHECK: element 0 is 0.00, even
// CHECK: element 1 is 0.25, odd
// CHECK: element 2 is 0.50, even
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
