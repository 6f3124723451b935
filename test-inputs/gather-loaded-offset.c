// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Adds block b of x to y, where a table tells where the block starts: the index is loaded, but from one address for all
// threads, so first[b] + i still moves by one element.

void add_block(int n, int b, const int *first, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : first[0 : b + 1], x[0 : first[b] + n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += x[first[b] + i];
}

// CHECK: region 'add_block' at {{.*}}gather-loaded-offset.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load first 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
