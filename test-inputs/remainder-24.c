// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A pattern of 24 elements repeated ends inside every warp, at lanes that differ from warp to warp: 4 bytes, and
// 4 - 4*24 = -92 where the pattern starts again. No constant stride and no count may be reported.

void repeat(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 24]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i % 24];
}

// CHECK: region 'repeat' at {{.*}}remainder-24.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 4 bytes
// CHECK: stride {{row-ends 4 at row ends -92 every 24 lanes class symbolic|unknown '.+' class unknown}}
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
