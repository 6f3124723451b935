// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// gemm.c with collapse(2): neighbouring threads have neighbouring fused indices c, i = c / NJ, j = c % NJ.
//   C[i*NJ + j] = C[c]: 4 bytes apart, also across row ends.
//   B[k*NJ + j]: 4 bytes apart; from the end of a row to the next, j falls by NJ-1: 4 - 4*NJ bytes.
//   A[i*NK + k]: the same element; from the end of a row to the next, i grows by 1: 4*NK bytes.
// A warp of 32 lanes touches 128 bytes of C: 4 sectors when aligned, 5 otherwise.

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

// CHECK: region 'gemm' at {{.*}}gemm-collapse2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [NI]*[NJ] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [NK]{{$}}
// CHECK: acc0 load C 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store C 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 load A 4 bytes
// CHECK: stride row-ends 0 at row ends 4*[NK] every [NJ] lanes class symbolic
// CHECK: runs [NK]{{$}}
// CHECK: acc3 load B 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[NJ] + 4 every [NJ] lanes class symbolic
// CHECK: runs [NK]{{$}}
// CHECK: acc4 load C 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [NK]{{$}}
// CHECK: acc5 store C 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [NK]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
