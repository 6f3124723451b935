// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An unsigned loop variable. i is below n, so i and i + 1 fit into 32 bits without wrapping: b[i] and a[i + 1] move by
// 4 bytes.  unsigned-wrap.c is the twin whose index may wrap.

void shift(unsigned n, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n + 1]) map(from : b[0 : n])
  for (unsigned i = 0; i < n; ++i)
    b[i] = a[i + 1];
}

// CHECK: region 'shift' at {{.*}}unsigned-loop.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc1 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
