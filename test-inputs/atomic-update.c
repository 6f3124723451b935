// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A histogram and a count, both updated atomically: the bin is decided by the data; the count is one address for all.

void histogram(int n, const int *bin, int *bins, int *count) {
#pragma omp target teams distribute parallel for \
    map(to : bin[0 : n]) map(tofrom : bins[0 : 256], count[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp atomic update
    bins[bin[i]] += 1;
#pragma omp atomic update
    count[0] += 1;
  }
}

// CHECK: region 'histogram' at {{.*}}atomic-update.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load bin 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 atomic bins 4 bytes
// CHECK: stride data-dependent 'index loaded from bin (stride 4 there)' class data-dependent
// CHECK: acc2 atomic count 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
