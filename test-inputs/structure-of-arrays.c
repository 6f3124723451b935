// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Particles as one array per member: 4 bytes between neighbouring threads, 4 sectors a warp.
// array-of-structures.c is the twin.

void advance(int n, float dt, float *x, float *y, const float *vx, const float *vy) {
#pragma omp target teams distribute parallel for \
    map(tofrom : x[0 : n], y[0 : n]) map(to : vx[0 : n], vy[0 : n])
  for (int i = 0; i < n; ++i) {
    x[i] += dt * vx[i];
    y[i] += dt * vy[i];
  }
}

// CHECK: region 'advance' at {{.*}}structure-of-arrays.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load vx 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 load vy 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc4 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc5 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
