// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Two parallel loops in one region, started by one thread: generic mode. Both move by one 4-byte element; the second
// reads backwards, from b[n - 1] down.
//
// ARGS: launch: { teams: 1 }

void twice_and_reverse(int n, const float *a, float *b, float *c) {
#pragma omp target map(to : a[0 : n]) map(from : b[0 : n], c[0 : n])
  {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      b[i] = 2.0f * a[i];
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      c[i] = b[n - 1 - i];
  }
}

// CHECK: region 'twice_and_reverse' at {{.*}}target-two-parallel-for.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 for i {{.*}}trips [n] schedule
// CHECK: loop1 for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store b 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 load b 4 bytes
// CHECK: stride constant -4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store c 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
