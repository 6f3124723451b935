// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The array is chosen once for all threads: whichever it is, src[i] moves by 4 bytes.
// selected-pointer-mixed.c is the twin in which neighbouring threads read different arrays.

void copy_one(int n, int second, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i) {
    const float *src = second ? b : a;
    c[i] = src[i];
  }
}

// CHECK: region 'copy_one' at {{.*}}selected-pointer.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load {{a or b|b or a}} 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: acc1 store c 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
