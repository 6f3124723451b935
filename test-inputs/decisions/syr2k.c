// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// C = C0 + ALPHA*(A*B^T + B*A^T) of square matrices: an element of C per thread, summed up in memory.
// Neighbouring threads have neighbouring j, 4 bytes apart in C and C0 and a row apart in the second factors, and mostly the same i.
#ifndef SIZE
#define SIZE 20
#endif

void syr2k(float *A, float *B, float *C, float *C0) {
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : SIZE * SIZE], B[0 : SIZE * SIZE], C0[0 : SIZE * SIZE]) map(from : C[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      C[i * SIZE + j] = C0[i * SIZE + j];
      for (int k = 0; k < SIZE; ++k) {
        C[i * SIZE + j] += 12435 * A[i * SIZE + k] * B[j * SIZE + k];
        C[i * SIZE + j] += 12435 * B[i * SIZE + k] * A[j * SIZE + k];
      }
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: load C0 4 bytes
// CHECK: store C 4 bytes
// CHECK: load A 4 bytes
// CHECK: load B 4 bytes
