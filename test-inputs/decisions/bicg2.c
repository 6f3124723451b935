// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// q = A*p: a row of A per thread, summed up in memory.
// Neighbouring threads are a row apart in A, 4 bytes in q, and read the same element of p.
#ifndef SIZE
#define SIZE 20
#endif

void bicg(float *A, float *p, float *q) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], p[0 : SIZE]) map(tofrom : q[0 : SIZE])
  for (int i = 0; i < SIZE; ++i) {
    q[i] = 0;
    for (int j = 0; j < SIZE; ++j)
      q[i] += A[i * SIZE + j] * p[j];
  }
}

// CHECK: store q 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load p 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load q 4 bytes
// CHECK: store q 4 bytes
