// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Two neighbouring threads read the same element: x[i / 2] is 0, 0, 4, 4, .. bytes from lane 0, 64 bytes in all: 2
// sectors aligned and 3 otherwise.

void stretch(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n / 2 + 1]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i / 2];
}

// CHECK: region 'stretch' at {{.*}}halved-index.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 4 bytes
// CHECK: stride vector 0 0 4 4 8 8 12 12 16 16 20 20 24 24 28 28 32 32 36 36 40 40 44 44 48 48 52 52 56 56 60 60 class coalesced sectors 2..3 lines 1..2
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
