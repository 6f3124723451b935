// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The second of three products, F = C*D of square matrices: an element of F per thread, summed up in memory.
// Neighbouring threads have neighbouring j, 4 bytes apart in F and D, and mostly the same i: of 1100 columns, which are no multiple of a
// warp, some warps have two rows of C.
#ifndef SIZE
#define SIZE 20
#endif

void product(float *C, float *D, float *F) {
#pragma omp target teams distribute parallel for collapse(2) map(to : C[0 : SIZE * SIZE], D[0 : SIZE * SIZE]) map(from : F[0 : SIZE * SIZE])
  for (int i = 0; i < SIZE; ++i)
    for (int j = 0; j < SIZE; ++j) {
      F[i * SIZE + j] = 0;
      for (int k = 0; k < SIZE; ++k)
        F[i * SIZE + j] += C[i * SIZE + k] * D[k * SIZE + j];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: store F 4 bytes
// CHECK: load C 4 bytes
// CHECK: load D 4 bytes
// CHECK: load F 4 bytes
// CHECK: store F 4 bytes
