// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A loop that counts down from n - 1 to 0: neighbouring threads are -4 bytes apart. Lane 0 has the highest address, 4 bytes
// below a + 4*n; 32 lanes cover 128 bytes, 4 sectors if a + 4*n is on a line boundary.

void twice(int n, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = n - 1; i >= 0; --i)
    a[i] *= 2.0f;
}

// CHECK: region 'twice' at {{.*}}step-down.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant -4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store a 4 bytes
// CHECK: stride constant -4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
