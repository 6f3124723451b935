// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Keeps the positive elements: each thread draws a slot from one counter. Which slot a thread gets depends on the order of
// arrival, so out[slot] has no stride that could be known, and is not uniform although all threads use one counter.
//
// ORACLE: depends on the launch

void keep_positive(int n, const float *in, float *out, int *count) {
#pragma omp target teams distribute parallel for \
    map(to : in[0 : n]) map(from : out[0 : n]) map(tofrom : count[0 : 1])
  for (int i = 0; i < n; ++i)
    if (in[i] > 0.0f) {
      int slot;
#pragma omp atomic capture
      slot = count[0]++;
      out[slot] = in[i];
    }
}

// CHECK: region 'keep_positive' at {{.*}}atomic-capture-slot.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 atomic count 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc2 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store out 4 bytes
// CHECK: stride data-dependent 'it is computed from atomic updates of count' class data-dependent
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
