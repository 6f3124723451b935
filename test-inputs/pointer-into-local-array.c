// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// A pointer walks through an array of each thread by steps that are the same for all threads. The pointer is equal in all threads, as a
// place in the own array; what it leads to is not: x is read at multiples of i. The twin walks through memory that all threads share.
//
// ARGS: n: 40
// ARGS: m: 3
// ARGS: c: { type: i32, values: [1, 0, 1] }
// ARGS: x: { type: f32, count: 200 }
// ARGS: t: { type: i32, values: [3, 1, 4, 1] }

void own_array(int n, int m, const int *c, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : c[0 : m], x[0 : 4 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int t[4] = {i, 2 * i, 3 * i, 4 * i};
    int *p = t;
    for (int k = 0; k < m; ++k)
      if (c[k])
        ++p;
    y[i] = x[*p];
  }
}

void shared_array(int n, int m, const int *c, const int *t, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : c[0 : m], t[0 : 4], x[0 : 4 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    const int *p = t;
    for (int k = 0; k < m; ++k)
      if (c[k])
        ++p;
    y[i] = x[i + *p];
  }
}

// CHECK: region 'own_array'
// CHECK-NOT: load ?
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from c' class data-dependent
// CHECK: region 'shared_array'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
