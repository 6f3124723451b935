// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// An index cut to 8 bits: 3*i moves by 3, but the value starts again at 0 after 255, at lanes that differ from warp to warp.
// The stride must not be reported as constant 12.

void look_up(int n, const float *table, float *y) {
#pragma omp target teams distribute parallel for map(to : table[0 : 256]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = table[(unsigned char)(3 * i)];
}

// CHECK: region 'look_up' at {{.*}}narrow-index.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load table 4 bytes
// CHECK: stride per-lane 4*u8(3*[lane number] + 96*[warp number]) - 4*u8(96*[warp number]) class symbolic{{$}}
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
