// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %not %ipda-trace %t.bc --check | %FileCheck %s
//
// The sum has no initial value: what it holds is different from launch to launch, so that nobody takes it for 0.

void sums(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
  for (int i = 0; i < n; ++i) {
    int sum;
    for (int j = 0; j < 4; ++j)
      sum += j;
    a[i] = sum;
  }
}

// CHECK: the result depends on the launch
