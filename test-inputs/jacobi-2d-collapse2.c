// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// jacobi-2d.c with fused loops: 4 bytes between neighbouring threads; where a row of n - 2 lanes ends, the grid index
// grows by 3 elements (two border points are skipped): 12 bytes.

void jacobi_2d(int n, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * n]) map(tofrom : B[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      B[i * n + j] = 0.2f * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i - 1) * n + j] +
                             A[(i + 1) * n + j]);
}

// CHECK: region 'jacobi_2d' at {{.*}}jacobi-2d-collapse2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips 
// CHECK: acc0 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK: acc1 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK: acc3 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK: acc4 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK: acc5 store B 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [n] - 2 lanes class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 6
