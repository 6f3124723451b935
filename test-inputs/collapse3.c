// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Swaps the two outer dimensions of an n x m x p volume, all loops fused: c = (i*m + j)*p + k.
//   A[(i*m + j)*p + k] = A[c]: 4 bytes between neighbouring threads throughout.
//   B[(j*n + i)*p + k]: 4 bytes. Where a run of p lanes ends, j grows by 1 and k falls by p - 1: 4*n*p - 4*p + 4. Where in
//   addition a block of m*p lanes ends, i grows by 1 and j falls by m - 1: 4 - 4*(m - 1)*n*p.
//
// ARGS: n: 12
// ARGS: m: 10
// ARGS: p: 14

void swap_outer(int n, int m, int p, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(3) \
    map(to : A[0 : n * m * p]) map(from : B[0 : n * m * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        B[(j * n + i) * p + k] = A[(i * m + j) * p + k];
}

// CHECK: region 'swap_outer' at {{.*}}collapse3.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[m]*[p] schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store B 4 bytes
// CHECK: stride row-ends 4 at row ends 4*[n]*[p] - 4*[p] + 4, -4*[n]*[m]*[p] + 4*[n]*[p] + 4 every [p], [m]*[p] lanes class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
