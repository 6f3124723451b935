// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Two independent regions that the host does not wait for: on the host each becomes a task. The accesses are those of a
// waiting region: 4 bytes between neighbouring threads.

void fill_two(int n, float *a, float *b) {
#pragma omp target teams distribute parallel for nowait map(from : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = 1.0f;
#pragma omp target teams distribute parallel for nowait map(from : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] = 2.0f;
#pragma omp taskwait
}

// CHECK: region 'fill_two' at {{.*}}nowait.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 store a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'fill_two' at {{.*}}nowait.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
