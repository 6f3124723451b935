// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// A gain is computed for sizes of which nothing is known: what is right only where a loop runs a few times is none. What is right where rows are longer
// than what is used of them, or arrays larger, is one: all loops run as often.

// Five rows further on is what another iteration reads, unless there are no more than five iterations.
void shifted(int n, int m, float *a) {
#pragma omp target teams distribute parallel for
  for (int j = 0; j < n; ++j)
    for (int i = 5; i < m; ++i)
      a[i * n + j] = a[(i - 5) * n + j] + 1;
}

// CHECK: region 'shifted'
// CHECK: transformation left threads i j
// CHECK-NEXT: flow dependence of a); not so where m <= 10, but then there is little to gain'

// Rows are as long as they are: as written, threads of different rows would meet already.
void rows_apart(int n, int used, int row, float *a) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < used + 2; ++j)
      a[i * row + j] += 1;
}

// CHECK: region 'rows_apart'
// CHECK: transformation possible threads i j

// The second half is read, the first one written, where the array is as large as that.
void halves(int n, int m, int half, float *a) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = a[half + i * m + j] + 1;
}

// CHECK: region 'halves'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'n*m <= half'
