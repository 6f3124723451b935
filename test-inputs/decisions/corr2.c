// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// The standard deviation of each column of a table, whose rows and columns count from 1: a column per thread, summed up in memory, and 1
// where it is next to nothing.
// Neighbouring threads are 4 bytes apart.
#ifndef SIZE
#define SIZE 20
#endif

void deviation_of_columns(float *data, float *mean, float *deviation) {
#pragma omp target teams distribute parallel for map(to : data[0 : (SIZE + 1) * (SIZE + 1)], mean[0 : SIZE + 1]) map(tofrom : deviation[0 : SIZE + 1])
  for (int j = 1; j < SIZE + 1; ++j) {
    deviation[j] = 0;
    for (int i = 1; i < SIZE + 1; ++i)
      deviation[j] += (data[i * (SIZE + 1) + j] - mean[j]) * (data[i * (SIZE + 1) + j] - mean[j]);
    deviation[j] /= 3214212.01f;
    deviation[j] = __builtin_sqrtf(deviation[j]);
    if (deviation[j] <= 0.005f)
      deviation[j] = 1;
  }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1100
// CHECK: store deviation 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load data 4 bytes
// CHECK: stride constant 4 class coalesced
