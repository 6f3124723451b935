// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// B is a volume A, each element summed up by weights with neighbours, of which the study's program names some several times: the shared
// loop runs over the middle one of three dimensions.
// Neighbouring threads are a row apart everywhere.
#ifndef SIZE
#define SIZE 20
#endif

#define AT(DI, DJ, DK) A[(i + DI) * SIZE * SIZE + (j + DJ) * SIZE + k + DK]

void convolve(float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE * SIZE]) map(from : B[0 : SIZE * SIZE * SIZE])
  for (int j = 1; j < SIZE - 1; ++j)
    for (int i = 1; i < SIZE - 1; ++i)
      for (int k = 1; k < SIZE - 1; ++k)
        B[i * SIZE * SIZE + j * SIZE + k] =
            2 * AT(-1, -1, -1) + 4 * AT(1, -1, -1) + 5 * AT(-1, -1, -1) + 7 * AT(1, -1, -1) - 8 * AT(-1, -1, -1) +
            10 * AT(1, -1, -1) - 3 * AT(0, -1, 0) + 6 * AT(0, 0, 0) - 9 * AT(0, 1, 0) + 2 * AT(-1, -1, 1) + 4 * AT(1, -1, 1) +
            5 * AT(-1, 0, 1) + 7 * AT(1, 0, 1) - 8 * AT(-1, 1, 1) + 10 * AT(1, 1, 1);
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1098
// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: store B 4 bytes
// CHECK: stride constant 4400 class uncoalesced
