// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A team loads a tile and writes it back in reverse order. The tile belongs to the team and is no global memory: only A and
// B are reported. Neighbouring threads have neighbouring j: 4 bytes each.

void reverse_rows(int n, const float *A, float *B) {
#pragma omp target teams distribute map(to : A[0 : 64 * n]) map(from : B[0 : 64 * n])
  for (int i = 0; i < n; ++i) {
    float tile[64];
#pragma omp parallel for
    for (int j = 0; j < 64; ++j)
      tile[j] = A[64 * i + j];
#pragma omp parallel for
    for (int j = 0; j < 64; ++j)
      B[64 * i + j] = tile[63 - j];
  }
}

// CHECK: region 'reverse_rows' at {{.*}}shared-tile.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 for j {{.*}}trips 64 schedule
// CHECK: loop2 in loop0 for j {{.*}}trips 64 schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
