// A value computed from a load in a loop changes when the memory changes: its store may not count as one constant step.
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// ARGS: step: { type: i32, count: 100, fill: { constant: 64 } }

void scaled_steps(int n, int m, const int *restrict step, float *A) {
#pragma omp target teams distribute parallel for map(to : step[0 : 1]) map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    long at = i;
    for (int k = 0; k < m; k++) {
      A[at] = (float)k;
      at += (long)((float)step[k] * 2.0f);
    }
  }
}

// CHECK: region 'scaled_steps'
// CHECK: store A 4 bytes
// CHECK-NEXT: address [A] + {{.*}}[at]
