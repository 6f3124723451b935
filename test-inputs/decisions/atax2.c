// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// y += A^T*t: a column of A per thread, summed up in memory.
// Neighbouring threads are 4 bytes apart in A and y, and read the same element of t.
#ifndef SIZE
#define SIZE 20
#endif

void atax(float *A, float *t, float *y) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], t[0 : SIZE]) map(tofrom : y[0 : SIZE])
  for (int j = 0; j < SIZE; ++j)
    for (int i = 0; i < SIZE; ++i)
      y[j] += A[i * SIZE + j] * t[i];
}

// CHECK: load A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load t 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load y 4 bytes
// CHECK: store y 4 bytes
