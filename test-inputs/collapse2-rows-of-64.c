// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Fused loops over a constant 48 x 64 range. A warp of 32 lanes that starts at a multiple of 32 never crosses the end of a
// row of 64: within each warp i is the same and j moves by 1.
//   A[i][j]: 4 bytes apart;  col[j]: 4 bytes;  row[i]: the same element.
// collapse2-rows-of-48.c and collapse2-rows-of-16.c are the twins whose rows end inside a warp.

void outer_product(float (*A)[64], const float *row, const float *col) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : row[0 : 48], col[0 : 64]) map(from : A[0 : 48])
  for (int i = 0; i < 48; ++i)
    for (int j = 0; j < 64; ++j)
      A[i][j] = row[i] * col[j];
}

// CHECK: region 'outer_product' at {{.*}}collapse2-rows-of-64.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips 3072 schedule
// CHECK: acc0 load row 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load col 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
