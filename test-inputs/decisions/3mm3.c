// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The third of three products, G = E*F of square matrices: an element of G per thread, summed up in memory.
// Neighbouring threads have neighbouring j, 4 bytes apart in G and F, and mostly the same i: of 1100 columns, which are no multiple of a
// warp, some warps have two rows of E.
#ifndef SIZE
#define SIZE 20
#endif

void product(float *E, float *F, float *G) {
#pragma omp target teams distribute parallel for collapse(2) map(to : E[0 : SIZE * SIZE], F[0 : SIZE * SIZE]) map(from : G[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      G[i * SIZE + j] = 0;
      for (int k = 0; k < SIZE; ++k)
        G[i * SIZE + j] += E[i * SIZE + k] * F[k * SIZE + j];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: store G 4 bytes
// CHECK: load E 4 bytes
// CHECK: load F 4 bytes
// CHECK: load G 4 bytes
// CHECK: store G 4 bytes
