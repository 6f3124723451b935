// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Each thread finds the row of its column's least element: where it then reads depends on the data alone. The twin's `best` depends on
// the thread's own number through a computation that has no closed form, and on no data: nothing is known of it.
//
// ARGS: n: 40
// ARGS: m: 5

void least_in_column(int n, int m, const float *a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], x[0 : m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int best = 0;
    float least = a[i];
    for (int k = 1; k < m; ++k)
      if (a[k * n + i] < least) {
        least = a[k * n + i];
        best = k;
      }
    y[i] = x[best];
  }
}

void mixed_number(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 16]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    unsigned best = i;
    for (int k = 1; k < m; ++k)
      best = best * best + 7;
    y[i] = x[best & 15];
  }
}

// CHECK: region 'least_in_column'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from a' class data-dependent
// CHECK: region 'mixed_number'
// CHECK: load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
