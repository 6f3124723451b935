// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The correlations of the columns of a reduced table, which count from 1: a row of the upper triangle per thread, and its mirror image.
// Neighbouring threads are a row and a column apart in the result, 4 bytes in both factors.
#ifndef SIZE
#define SIZE 20
#endif

void correlations(float *data, float *result) {
#pragma omp target teams distribute parallel for map(to : data[0 : (SIZE + 1) * (SIZE + 1)]) map(tofrom : result[0 : (SIZE + 1) * (SIZE + 1)])
  for (int k = 1; k < SIZE; ++k) {
    result[k * (SIZE + 1) + k] = 1;
    for (int j = k + 1; j < SIZE + 1; ++j) {
      result[k * (SIZE + 1) + j] = 0;
      for (int i = 1; i < SIZE + 1; ++i)
        result[k * (SIZE + 1) + j] += data[i * (SIZE + 1) + k] * data[i * (SIZE + 1) + j];
      result[j * (SIZE + 1) + k] = result[k * (SIZE + 1) + j];
    }
  }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1099
// CHECK: store result 4 bytes
// CHECK: stride constant 4408 class uncoalesced
// CHECK: store result 4 bytes
// CHECK: stride constant 4408 class uncoalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
