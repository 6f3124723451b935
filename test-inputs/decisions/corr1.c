// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The mean of each column of a table, whose rows and columns count from 1: a column per thread, summed up in memory.
// Neighbouring threads are 4 bytes apart.
#ifndef SIZE
#define SIZE 20
#endif

void mean_of_columns(float *data, float *mean) {
#pragma omp target teams distribute parallel for map(to : data[0 : (SIZE + 1) * (SIZE + 1)]) map(tofrom : mean[0 : SIZE + 1])
  for (int j = 1; j < SIZE + 1; ++j) {
    mean[j] = 0;
    for (int i = 1; i < SIZE + 1; ++i)
      mean[j] += data[i * (SIZE + 1) + j];
    mean[j] /= 3214212.01f;
  }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1100
// CHECK: store mean 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
