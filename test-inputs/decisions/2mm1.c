// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The first of two products, C = A*B of square matrices: an element of C per thread, summed up in memory.
// Neighbouring threads have neighbouring j, 4 bytes apart in C and B, and mostly the same i: of 1100 columns, which are no multiple of a
// warp, some warps have two rows of A.
#ifndef SIZE
#define SIZE 20
#endif

void product(float *A, float *B, float *C) {
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : SIZE * SIZE], B[0 : SIZE * SIZE]) map(from : C[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      C[i * SIZE + j] = 0;
      for (int k = 0; k < SIZE; ++k)
        C[i * SIZE + j] += A[i * SIZE + k] * B[k * SIZE + j];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: store C 4 bytes
// CHECK: load A 4 bytes
// CHECK: load B 4 bytes
// CHECK: load C 4 bytes
// CHECK: store C 4 bytes
