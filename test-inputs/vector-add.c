// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
// RUN: %device-nog | %FileCheck %s --check-prefix=NOG
//
// c = a + b: 4-byte elements side by side, 128 bytes per warp of 32 lanes. That is 4 sectors of 32 bytes with an
// aligned base and 5 otherwise, 1 or 2 lines of 128 bytes. The same without debug information, where names may be lost.
// vector-add-stride2.c is the twin that skips every other element.

void vector_add(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

// CHECK: region 'vector_add' at {{.*}}vector-add.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store c 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0

// NOG: region 'vector_add'
// NOG: acc0 load
// NOG: stride constant 4 class coalesced sectors 4..5 lines 1..2
// NOG: acc1 load
// NOG: stride constant 4 class coalesced sectors 4..5 lines 1..2
// NOG: acc2 store
// NOG: stride constant 4 class coalesced sectors 4..5 lines 1..2
