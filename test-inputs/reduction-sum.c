// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Sum of an array: neighbouring threads read 4 bytes apart into private sums. How the runtime combines the sums
// is not part of the region's own accesses to x.  reduction-rows.c is the twin that sums rows of a matrix.

float sum(int n, const float *x) {
  float total = 0.0f;
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : total) reduction(+ : total)
  for (int i = 0; i < n; ++i)
    total += x[i];
  return total;
}

// CHECK: region 'sum' at {{.*}}reduction-sum.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
