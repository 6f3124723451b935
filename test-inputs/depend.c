// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Two regions ordered by depend clauses; the accesses are 4 bytes apart, as without the clauses.

void scale_then_shift(int n, float *a) {
#pragma omp target data map(tofrom : a[0 : n])
  {
#pragma omp target teams distribute parallel for nowait depend(out : a[0])
    for (int i = 0; i < n; ++i)
      a[i] *= 2.0f;
#pragma omp target teams distribute parallel for nowait depend(inout : a[0])
    for (int i = 0; i < n; ++i)
      a[i] += 1.0f;
#pragma omp taskwait
  }
}

// CHECK: region 'scale_then_shift' at {{.*}}depend.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
// CHECK: region 'scale_then_shift' at {{.*}}depend.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
