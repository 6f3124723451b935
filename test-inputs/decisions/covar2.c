// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// A table less the means of its columns, which count from 1: an element per thread.
// Neighbouring threads are 4 bytes apart within a row.
#ifndef SIZE
#define SIZE 20
#endif

void centre_columns(float *data, float *mean, float *centred) {
#pragma omp target teams distribute parallel for collapse(2) map(to : data[0 : (SIZE + 1) * (SIZE + 1)], mean[0 : SIZE + 1]) map(from : centred[0 : (SIZE + 1) * (SIZE + 1)])
  for (int i = 1; i < SIZE + 1; ++i)
    for (int j = 1; j < SIZE + 1; ++j)
      centred[i * (SIZE + 1) + j] = data[i * (SIZE + 1) + j] - mean[j];
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: load data 4 bytes
// CHECK: load mean 4 bytes
// CHECK: store centred 4 bytes
