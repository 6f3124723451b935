// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y[i] = x[idx[i]]: idx and y are 4 bytes apart; where x is read is decided by the contents of idx.
// gather-loaded-offset.c is the twin whose loaded index is the same for all threads.

void gather(int n, const int *idx, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[idx[i]];
}

// CHECK: region 'gather' at {{.*}}gather.c:{{[0-9]+}}
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
