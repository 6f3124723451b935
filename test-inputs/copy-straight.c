// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Copies an n x m matrix with fused loops: both sides have index i*m + j = c, 4 bytes between neighbouring threads.
// copy-transposed.c and copy-transposed-collapse2.c are the twins that transpose.

void copy(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j] = A[i * m + j];
}

// CHECK: region 'copy' at {{.*}}copy-straight.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[m] schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
