// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// A critical section lets threads see each other's writes in turn. What is read beside it is the same for all threads as long as nothing
// that is written in the region can be there: integers are no floating-point numbers. In the twin the section writes integers, which
// may be where the offset is.
//
// ORACLE: depends on the launch
// ARGS: n: 40
// ARGS: x: { type: f32, count: 100 }
// ARGS: offset: { type: i32, values: [3] }

void read_beside_floats(int n, const int *offset, const float *x, float *least, float *y) {
#pragma omp target teams distribute parallel for map(to : offset[0 : 1], x[0 : 2 * n]) \
    map(tofrom : least[0 : 1]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    y[i] = x[i + offset[0]];
#pragma omp critical
    if (y[i] < least[0])
      least[0] = y[i];
  }
}

void read_beside_integers(int n, const int *offset, const float *x, int *count, float *y) {
#pragma omp target teams distribute parallel for map(to : offset[0 : 1], x[0 : 2 * n]) \
    map(tofrom : count[0 : 1]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    y[i] = x[i + offset[0]];
#pragma omp critical
    count[0] += 1;
  }
}

// CHECK: region 'read_beside_floats'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'read_beside_integers'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is read from memory that other threads may change' class data-dependent
