// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s --check-prefixes=CHECK,HOST
//
// C = BETA*C + ALPHA*A*B, row-major, one row of C per thread.
// Neighbouring threads have neighbouring i, 4-byte elements:
//   C[i*NJ + j]: 4*NJ bytes apart;  A[i*NK + k]: 4*NK bytes apart;  B[k*NJ + j]: the same element.
// One iteration of i runs the scaling of C NJ times and the innermost statement NJ*NK times.
// gemm-collapse2.c is the same product with two fused loops.

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

// CHECK: region 'gemm' at {{.*}}gemm.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// DEVICE: capture NI i32
// DEVICE: capture NJ i32
// DEVICE: capture NK i32
// HOST: capture NI i32 map by-value implicit
// HOST: capture NJ i32 map by-value implicit
// HOST: capture C pointer map tofrom 4*[NI]*[NJ] bytes
// HOST: capture NK i32 map by-value implicit
// HOST: capture A pointer map to 4*[NI]*[NK] bytes
// HOST: capture B pointer map to 4*[NJ]*[NK] bytes
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [NI] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [NJ]{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [NK]{{$}}
// CHECK: acc0 load C 4 bytes
// CHECK: stride symbolic 4*[NJ] class symbolic
// CHECK: runs [NJ]{{$}}
// CHECK: acc1 store C 4 bytes
// CHECK: stride symbolic 4*[NJ] class symbolic
// CHECK: runs [NJ]{{$}}
// CHECK: acc2 load A 4 bytes
// CHECK: stride symbolic 4*[NK] class symbolic
// CHECK: runs [NJ]*[NK]{{$}}
// CHECK: acc3 load B 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [NJ]*[NK]{{$}}
// CHECK: acc4 load C 4 bytes
// CHECK: stride symbolic 4*[NJ] class symbolic
// CHECK: runs [NJ]*[NK]{{$}}
// CHECK: acc5 store C 4 bytes
// CHECK: stride symbolic 4*[NJ] class symbolic
// CHECK: runs [NJ]*[NK]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 5

// ORACLE: by hand: gemm-collapse2.c
