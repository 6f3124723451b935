// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// s += A^T*r: a column of A per thread, summed up in memory.
// Neighbouring threads are 4 bytes apart in A and s, and read the same element of r.
#ifndef SIZE
#define SIZE 20
#endif

void bicg(float *A, float *r, float *s) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], r[0 : SIZE]) map(tofrom : s[0 : SIZE])
  for (int j = 0; j < SIZE; ++j)
    for (int i = 0; i < SIZE; ++i)
      s[j] += r[i] * A[i * SIZE + j];
}

// CHECK: load r 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load s 4 bytes
// CHECK: store s 4 bytes
