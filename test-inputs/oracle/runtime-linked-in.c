// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %optimise-device %s > %t.declared.bc
// RUN: %optimise-device-with-runtime %s > %t.linked.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
// RUN: %ipda-trace %t.declared.bc --args %t.yaml --check | %FileCheck %s
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.declared.bc | %FileCheck %s --check-prefix=SAME
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.linked.bc | %FileCheck %s --check-prefix=SAME
//
// A module runs as the front end leaves it, after optimisation, and with the device runtime's own code in it: with one result.
// ARGS: n: 90

void spmd(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

void generic(int n, const int *x, int *sums) {
#pragma omp target teams distribute map(to : x[0 : n * n]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    int sum = i;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < n; ++j)
      sum += x[i * n + j];
    sums[i] = sum;
  }
}

void reduction(int n, const int *x, int *total) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i];
  *total = sum;
}

void dynamic(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for schedule(dynamic, 2) map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}

// CHECK: 17:17 load acc0 4 3 30 4 4..5 yes
// CHECK: kernel spmd:{{[0-9]+}}: computes the same
// CHECK: kernel generic:{{[0-9]+}}: computes the same
// CHECK: kernel reduction:{{[0-9]+}}: computes the same
// CHECK: kernel dynamic:{{[0-9]+}}: computes the same

// SAME: kernel spmd:{{[0-9]+}}: computes the same
// SAME: kernel generic:{{[0-9]+}}: computes the same
// SAME: kernel reduction:{{[0-9]+}}: computes the same
// SAME: kernel dynamic:{{[0-9]+}}: computes the same
