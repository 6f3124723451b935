// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An index chosen by a switch over a value that is the same for all threads: i, i + n or i + 2*n. One of the three holds
// for a whole warp, and each moves by 1: 4 bytes.  switch-index-mixed.c is the twin whose cases move differently.

void select(int n, int plane, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : 3 * n]) map(from : b[0 : n])
  for (int i = 0; i < n; ++i) {
    int idx;
    switch (plane) {
    case 0:
      idx = i;
      break;
    case 1:
      idx = i + n;
      break;
    default:
      idx = i + 2 * n;
      break;
    }
    b[i] = a[idx];
  }
}

// CHECK: region 'select' at {{.*}}switch-index.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: acc1 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
