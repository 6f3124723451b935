// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Threads fetch iterations as they become free: which thread runs which iteration is not fixed, so
// nothing can be said about x[i] and y[i]. The scale factor does not depend on i: it is uniform under every assignment.

void scale(int n, const float *factor, const float *x, float *y) {
#pragma omp target teams distribute parallel for schedule(dynamic) \
    map(to : factor[0 : 1], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = factor[0] * x[i];
}

// CHECK: region 'scale' at {{.*}}schedule-dynamic.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load factor 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK: acc2 store y 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
