// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A table that lives on the device from the start: its address is a constant of the module, and table[i] moves by 8 bytes.

#pragma omp declare target
double table[4096];
#pragma omp end declare target

void square(int n) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    table[i] = table[i] * table[i];
}

// CHECK: region 'square' at {{.*}}declare-target-global.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load table 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store table 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
