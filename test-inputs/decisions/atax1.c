// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// t = A*x: a row of A per thread, summed up in memory.
// Neighbouring threads are a row apart in A, 4 bytes in t, and read the same element of x.
#ifndef SIZE
#define SIZE 20
#endif

void atax(float *A, float *x, float *t) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], x[0 : SIZE]) map(tofrom : t[0 : SIZE])
  for (int i = 0; i < SIZE; ++i) {
    t[i] = 0;
    for (int j = 0; j < SIZE; ++j)
      t[i] += A[i * SIZE + j] * x[j];
  }
}

// CHECK: store t 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load x 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load t 4 bytes
// CHECK: store t 4 bytes
