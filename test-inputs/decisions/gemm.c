// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// C = BETA*C0 + ALPHA*A*B of square matrices: row i of C per thread, each element summed up in memory.
// Neighbouring threads are a row apart in A, C and C0, 4 * 1100 bytes, and read the same element of B.
#ifndef SIZE
#define SIZE 20
#endif

void gemm(float *A, float *B, float *C, float *C0) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], B[0 : SIZE * SIZE], C0[0 : SIZE * SIZE]) map(from : C[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      C[i * SIZE + j] = C0[i * SIZE + j] * 2123.0f;
      for (int k = 0; k < SIZE; ++k)
        C[i * SIZE + j] += 32412.0f * A[i * SIZE + k] * B[k * SIZE + j];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1100
// CHECK: load C0 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: store C 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load B 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load C 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: store C 4 bytes
// CHECK: stride constant 4400 class uncoalesced
