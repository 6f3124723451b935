// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Fused loops over a constant 64 x 48 range. Rows of 48 end inside every second or third warp, so no constant stride holds:
//   A[i][j]: 4 bytes apart throughout;  col[j]: 4 bytes, and 4 - 4*48 where a row ends;  row[i]: 0, and 4 where a row ends.

void outer_product(float (*A)[48], const float *row, const float *col) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : row[0 : 64], col[0 : 48]) map(from : A[0 : 64])
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 48; ++j)
      A[i][j] = row[i] * col[j];
}

// CHECK: region 'outer_product' at {{.*}}collapse2-rows-of-48.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips 3072 schedule
// CHECK: acc0 load row 4 bytes
// CHECK: stride row-ends 0 at row ends 4 every 48 lanes class symbolic
// CHECK: acc1 load col 4 bytes
// CHECK: stride row-ends 4 at row ends -188 every 48 lanes class symbolic
// CHECK: acc2 store A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
