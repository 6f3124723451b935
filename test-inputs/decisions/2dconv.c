// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// B is A, each element averaged with its eight neighbours by weights: row i of B per thread.
// Neighbouring threads are a row apart everywhere.
#ifndef SIZE
#define SIZE 20
#endif

void convolve(float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE]) map(from : B[0 : SIZE * SIZE])
  for (int i = 1; i < SIZE - 1; ++i)
    for (int j = 1; j < SIZE - 1; ++j)
      B[i * SIZE + j] = 0.2f * A[(i - 1) * SIZE + j - 1] - 0.3f * A[i * SIZE + j - 1] + 0.4f * A[(i + 1) * SIZE + j - 1] +
                        0.5f * A[(i - 1) * SIZE + j] + 0.6f * A[i * SIZE + j] + 0.7f * A[(i + 1) * SIZE + j] -
                        0.8f * A[(i - 1) * SIZE + j + 1] - 0.9f * A[i * SIZE + j + 1] + 0.1f * A[(i + 1) * SIZE + j + 1];
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1098
// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class strided, alone uncoalesced
// CHECK: store B 4 bytes
// CHECK: stride constant 4400 class uncoalesced
