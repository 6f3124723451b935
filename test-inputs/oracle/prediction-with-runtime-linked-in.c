// REQUIRES: libomp-device-bc
// RUN: %optimise-device-with-runtime %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml | %FileCheck %s
//
// A module after optimisation, with the device runtime's code in it: the loop over threads moves by 4 bytes from lane to lane, and
// may not count as uniform.
// ARGS: n: 90

void row_sums(int n, const int *x, int *sums) {
#pragma omp target teams distribute map(to : x[0 : n * n]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    int sum = i;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < n; ++j)
      sum += x[i * n + j];
    sums[i] = sum;
  }
}

// CHECK: kernel row_sums
// CHECK-NOT: predicted are
// CHECK: accesses of warps: {{[0-9]+}} as predicted, 0 not
