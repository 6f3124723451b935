// The plugin on the command line twice, by -fpass-plugin or by -load besides: everything is said once.
// RUN: %clang-device %load %remarks %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %clang-device -Xclang -load -Xclang %plugin %remarks %s -o %t.s 2>&1 | %FileCheck %s

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK-COUNT-1: target region in 'clear'
// CHECK-NOT: target region in
