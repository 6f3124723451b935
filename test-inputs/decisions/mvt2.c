// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// x2 += A^T*y2: a column of A per thread, summed up in memory.
// Neighbouring threads are 4 bytes apart in A and x2, and read the same element of y2.
#ifndef SIZE
#define SIZE 20
#endif

void mvt(float *A, float *x2, float *y2) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], y2[0 : SIZE]) map(tofrom : x2[0 : SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j)
      x2[i] += A[j * SIZE + i] * y2[j];
}

// CHECK: load A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load y2 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load x2 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store x2 4 bytes
// CHECK: stride constant 4 class coalesced
