// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// One team; without a schedule clause its threads take iterations in turn: neighbours are 8 bytes apart.
// schedule-static-one-team.c is the twin that asks for one block of iterations per thread.

void axpy(int n, double a, const double *x, double *y) {
#pragma omp target parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: region 'axpy' at {{.*}}target-parallel-for.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
