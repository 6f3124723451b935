// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// gather.c with restrict pointers: that nothing else writes x or idx says nothing about the values in idx.

void gather(int n, const int *restrict idx, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[idx[i]];
}

// CHECK: region 'gather' at {{.*}}gather-restrict.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load idx 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load x 4 bytes
// CHECK: stride data-dependent 'index loaded from idx (stride 4 there)' class data-dependent
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
