// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread searches a sorted table for its own key: where it looks next depends on what it has read, so table[middle] is
// neither uniform nor strided, although all threads start at the same place. key[i] and place[i] move by 4 bytes.

void find(int n, int m, const float *key, const float *table, int *place) {
#pragma omp target teams distribute parallel for map(to : key[0 : n], table[0 : m]) map(from : place[0 : n])
  for (int i = 0; i < n; ++i) {
    float wanted = key[i];
    int low = 0, high = m;
    while (low < high) {
      int middle = low + (high - low) / 2;
      if (table[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    place[i] = low;
  }
}

// CHECK: region 'find' at {{.*}}binary-search.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load key 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load table 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from key and table' class data-dependent
// CHECK: acc2 store place 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
