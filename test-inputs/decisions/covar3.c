// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The covariances of the columns of a centred table, which count from 1: a row of the upper triangle per thread, and its mirror image.
// Neighbouring threads are a row and a column apart in the result (the first is in another iteration of j2), 4 bytes in the first factor
// and, in the same iteration of j2, in the second.
#ifndef SIZE
#define SIZE 20
#endif

void covariances(float *data, float *result) {
#pragma omp target teams distribute parallel for map(to : data[0 : (SIZE + 1) * (SIZE + 1)]) map(tofrom : result[0 : (SIZE + 1) * (SIZE + 1)])
  for (int j1 = 1; j1 < SIZE + 1; ++j1)
    for (int j2 = j1; j2 < SIZE + 1; ++j2) {
      result[j1 * (SIZE + 1) + j2] = 0;
      for (int i = 1; i < SIZE + 1; ++i)
        result[j1 * (SIZE + 1) + j2] += data[i * (SIZE + 1) + j1] * data[i * (SIZE + 1) + j2];
      result[j2 * (SIZE + 1) + j1] = result[j1 * (SIZE + 1) + j2];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1100
// CHECK: store result 4 bytes
// CHECK: stride constant 4408 class uncoalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
