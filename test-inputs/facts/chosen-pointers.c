// An access by a pointer that is chosen, swapped or read from memory has no facts: it may be to any array.
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %ipda-oracle transform --optimised %s
//
// ARGS: n: 13
// ARGS: m: 21
// ARGS: steps: 3

// CHECK-NOT: invariant.load

// CHECK: define {{.*}}_chosen_l
// CHECK-NOT: !alias.scope
void chosen(int n, int m, int first, const float *A, float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const float *from = first ? A : B;
      C[j * n + i] = from[j * n + i] + 1;
    }
}

// The two are swapped in the region, step by step.
// CHECK: define {{.*}}_swapped_l
// CHECK-NOT: !alias.scope
void swapped(int n, int m, int steps, float *A, float *B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) {
    float *from = A, *to = B;
    for (int t = 0; t < steps; t++) {
      for (int j = 0; j < m; j++)
        to[j * n + i] = from[j * n + i] + 1;
      float *kept = from;
      from = to;
      to = kept;
    }
  }
}
