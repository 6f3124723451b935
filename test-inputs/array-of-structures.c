// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Particles as an array of 16-byte structures: each member is 16 bytes from thread to thread. A warp spans 512 bytes,
// 16 sectors and 4 lines for each member. Alone it uses a quarter of them, but the four loads use all: what is stored between them is another
// member than what is loaded next. Each store takes its 16 sectors to the L2.
// structure-of-arrays.c is the twin that keeps each member in its own array.

struct particle {
  float x, y, vx, vy;
};

void advance(int n, float dt, struct particle *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
  for (int i = 0; i < n; ++i) {
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
  }
}

// CHECK: region 'advance' at {{.*}}array-of-structures.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class coalesced, alone strided sectors 16..17 lines 4..5
// CHECK: group0 of acc0 acc1 acc3 acc4 sectors 16..17 lines 4..5 least 16
// CHECK: acc1 load {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class coalesced, alone strided sectors 16..17 lines 4..5
// CHECK: acc2 store {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc3 load {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class coalesced, alone strided sectors 16..17 lines 4..5
// CHECK: acc4 load {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class coalesced, alone strided sectors 16..17 lines 4..5
// CHECK: acc5 store {{p[^ ]*}} 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors 48 without-count 0
