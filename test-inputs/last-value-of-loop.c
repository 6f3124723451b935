// A value that a loop leaves behind depends on when the loop ends. Where lanes leave it at different times (j < i), a value without
// closed form differs between them although nothing in it mentions the thread; where all leave at the same number (j < m), it does not.
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// ARGS: n: 11
// ARGS: m: 9

void triangular(int n, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    int v = 1;
    for (int j = 0; j < i; j++)
      v = v * 3;
    A[v + i] = 0;
  }
}

void rectangular(int n, int m, float *A) {
#pragma omp target teams distribute parallel for map(tofrom : A[0 : n])
  for (int i = 0; i < n; i++) {
    long v = 1;
    for (int j = 0; j < m; j++)
      v = v * 3;
    A[v + i] = 0;
  }
}

// CHECK: region 'triangular'
// CHECK: acc0 store A 4 bytes
// CHECK: stride unknown 'it is the last value of a loop that threads leave at different times' class unknown
// CHECK: region 'rectangular'
// CHECK: acc0 store A 4 bytes
// CHECK: stride constant 4 class coalesced
