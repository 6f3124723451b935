// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Three regions in one function, in source order: 4 bytes, 8 bytes and uniform.

void three_steps(int n, float *a, double *b, const double *c) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = 1.0f;
#pragma omp target teams distribute parallel for map(from : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] = 1.0;
#pragma omp target teams distribute parallel for map(to : c[0 : 1]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] += c[0];
}

// CHECK: region 'three_steps' at {{.*}}several-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store a 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: region 'three_steps' at {{.*}}several-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 store b 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region 'three_steps' at {{.*}}several-regions.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load c 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load b 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store b 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
