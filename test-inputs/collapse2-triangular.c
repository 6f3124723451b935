// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// collapse over a triangle: clang runs the fused loop over the enclosing n x n square and skips what lies outside of the
// triangle. So c = i*n + j as in a rectangle, A[i*n + j] = A[c] moves by 4 bytes between the lanes that take part, and the
// condition says which do.

void lower_triangle(int n, float *A) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : A[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      A[i * n + j] = 1.0f;
}

// CHECK: region 'lower_triangle' at {{.*}}collapse2-triangular.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 1 if {{.+}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
