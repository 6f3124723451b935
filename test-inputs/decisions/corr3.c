// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// A table less the means of its columns, which count from 1, over their deviations: an element per thread, divided in double precision.
// Neighbouring threads are 4 bytes apart within a row.
#ifndef SIZE
#define SIZE 20
#endif

void reduce_columns(float *data, float *mean, float *deviation) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : mean[0 : SIZE + 1], deviation[0 : SIZE + 1]) map(tofrom : data[0 : (SIZE + 1) * (SIZE + 1)])
  for (int i = 1; i < SIZE + 1; ++i)
    for (int j = 1; j < SIZE + 1; ++j) {
      data[i * (SIZE + 1) + j] -= mean[j];
      data[i * (SIZE + 1) + j] /= __builtin_sqrt(3214212.01f) * deviation[j];
    }
}

// CHECK: loop0 distribute-parallel-for {{.*}}trips 1210000
// CHECK: load mean 4 bytes
// CHECK: load data 4 bytes
// CHECK: store data 4 bytes
// CHECK: load deviation 4 bytes
