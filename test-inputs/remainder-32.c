// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A pattern of 32 elements repeated: an aligned warp of 32 lanes never leaves the pattern, so x[i % 32] moves by 4 bytes.
// remainder-24.c is the twin whose pattern ends inside a warp.

void repeat(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 32]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i % 32];
}

// CHECK: region 'repeat' at {{.*}}remainder-32.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
