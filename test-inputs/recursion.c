// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An index computed by a recursive function cannot be followed: table[depth(i)] is unknown. y[i] moves by 4 bytes.

static int depth(int n) {
  return n < 2 ? 0 : 1 + depth(n / 2);
}

void by_depth(int n, const float *table, float *y) {
#pragma omp target teams distribute parallel for map(to : table[0 : 32]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = table[depth(i)];
}

// CHECK: region 'by_depth' at {{.*}}recursion.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load table 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: reject Recursion
