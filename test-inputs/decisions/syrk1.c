// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// D = BETA*D0 of square matrices: an element per thread.
// Neighbouring threads are 4 bytes apart: rows follow one another in memory.
#ifndef SIZE
#define SIZE 20
#endif

void scale(float *D, float *D0) {
#pragma omp target teams distribute parallel for collapse(2) map(to : D0[0 : SIZE * SIZE]) map(tofrom : D[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j)
      D[i * SIZE + j] = D0[i * SIZE + j] * 4546;
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: load D0 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store D 4 bytes
// CHECK: stride constant 4 class coalesced
