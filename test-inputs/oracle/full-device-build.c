// REQUIRES: cuda, libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %clang %nvptx -O2 -g -Xclang -debug-info-kind=constructor --offload-device-only -emit-llvm -c %s -o %t.full.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.full.bc | %FileCheck %s
//
// The module of a full build for a device, with the device runtime in it, computes what the front end's output does.
// ARGS: n: 50

void rows(int n, const int *x, int *sums) {
#pragma omp target teams distribute map(to : x[0 : n * n]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    int sum = i;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int j = 0; j < n; ++j)
      sum += x[i * n + j];
    sums[i] = sum;
  }
}

// CHECK: kernel rows:{{[0-9]+}}: computes the same in {{[0-9]+}} launches
