// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: echo '{ n: 1000000, a: { type: i32, count: 65536 } }' > %t.yaml
// RUN: %not %ipda-trace %t.bc --against %t.bc --args %t.yaml | %FileCheck %s
//
// The original leaves its array: it has no result to compare with, and equal failures are no agreement.

void zero(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = 0;
}

// CHECK-NOT: computes the same
// CHECK: nothing can be compared, for the original failed: {{.*}}fault-original-fails.c:11:10: the access writes
