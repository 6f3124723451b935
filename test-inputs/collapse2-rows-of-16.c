// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Fused loops over a constant 64 x 16 range: every aligned warp covers exactly two rows.
//   row[i]: lanes 0..15 read one element, lanes 16..31 the next: 8 bytes, 1 sector, 2 if they straddle a boundary.
//   col[j]: lanes 16..31 repeat the 64 bytes of lanes 0..15: 2 sectors aligned, 3 otherwise.
//   A[i][j]: 4 bytes apart.

void outer_product(float (*A)[16], const float *row, const float *col) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : row[0 : 64], col[0 : 16]) map(from : A[0 : 64])
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 16; ++j)
      A[i][j] = row[i] * col[j];
}

// CHECK: region 'outer_product' at {{.*}}collapse2-rows-of-16.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips 1024 schedule
// CHECK: acc0 load row 4 bytes
// CHECK: stride vector 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 class coalesced sectors 1..2 lines 1..2
// CHECK: acc1 load col 4 bytes
// CHECK: stride vector 0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 class coalesced sectors 2..3 lines 1..2
// CHECK: acc2 store A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
