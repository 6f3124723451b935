// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An index defined under a condition: 64 + i below the threshold of 32, i from there on. Warps start at multiples of 32,
// so all lanes of one warp take the same branch, and the difference between neighbouring threads is 8 bytes:
//   [i < 32]*8*(64 + i) + [i >= 32]*8*i, the predicates equal in all lanes and adding up to 1.
// The extra 512 bytes of the first warp keep it on a line boundary.
// conditional-index-unaligned.c is the twin whose threshold cuts a warp in two.

#define TSIZE 64

void fill(int n, long *B) {
#pragma omp target teams distribute parallel for map(from : B[0 : n + TSIZE])
  for (int i = 0; i < n; ++i) {
    int idx = 0;
    if (i < TSIZE / 2)
      idx = TSIZE + i;
    else
      idx = i;
    B[idx] = 3L * i;
  }
}

// CHECK: region 'fill' at {{.*}}conditional-index.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 store B 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
