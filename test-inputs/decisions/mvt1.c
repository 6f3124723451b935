// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// x1 += A*y1: a row of A per thread, summed up in memory.
// Neighbouring threads are a row apart in A, 4 bytes in x1, and read the same element of y1.
#ifndef SIZE
#define SIZE 20
#endif

void mvt(float *A, float *x1, float *y1) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], y1[0 : SIZE]) map(tofrom : x1[0 : SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j)
      x1[i] += A[i * SIZE + j] * y1[j];
}

// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load y1 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load x1 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store x1 4 bytes
// CHECK: stride constant 4 class coalesced
