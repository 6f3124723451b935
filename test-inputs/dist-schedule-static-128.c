// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Teams take blocks of 128 iterations, the threads of a team take the iterations of a block in turn: neighbouring threads
// are one iteration apart, 4 bytes, and blocks start at multiples of the warp size.

void vector_add(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for dist_schedule(static, 128) \
    map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

// CHECK: region 'vector_add' at {{.*}}dist-schedule-static-128.c:{{[0-9]+}}
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
