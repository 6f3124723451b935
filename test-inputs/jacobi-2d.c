// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Jacobi relaxation of an n x n grid, one row per thread: every access moves by a row, 4*n bytes.
// jacobi-2d-collapse2.c is the fused twin.

void jacobi_2d(int n, const float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * n]) map(tofrom : B[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      B[i * n + j] = 0.2f * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i - 1) * n + j] +
                             A[(i + 1) * n + j]);
}

// CHECK: region 'jacobi_2d' at {{.*}}jacobi-2d.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] - 2 schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [n] - 2{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n] - 2{{$}}
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc3 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc4 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc5 store B 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 6

// ORACLE: by hand: jacobi-2d-collapse2.c
