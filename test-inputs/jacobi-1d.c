// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Jacobi relaxation of a line, two regions inside a sequential time loop on the host.
// Thread t of an aligned warp works on element 1 + t, so with arrays on a line boundary
//   A[i - 1] starts at byte 0: 4 sectors;  A[i] at byte 4 and A[i + 1] at byte 8: one sector more, two lines.

void jacobi_1d(int n, int steps, float *A, float *B) {
#pragma omp target data map(tofrom : A[0 : n], B[0 : n])
  for (int t = 0; t < steps; ++t) {
#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; ++i)
      B[i] = 0.3333f * (A[i - 1] + A[i] + A[i + 1]);

#pragma omp target teams distribute parallel for
    for (int i = 1; i < n - 1; ++i)
      A[i] = B[i];
  }
}

// CHECK: region 'jacobi_1d' at {{.*}}jacobi-1d.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] - 2 schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc2 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc3 store B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'jacobi_1d' at {{.*}}jacobi-1d.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] - 2 schedule
// CHECK: acc0 load B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc1 store A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
