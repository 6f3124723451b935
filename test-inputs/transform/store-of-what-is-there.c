// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %dependences | %FileCheck %s --check-prefix=GRAPH
// RUN: %ipda-oracle transform %s
//
// A store that changes nothing in the thread that does it is simplified away before the analysis, but is in the code that runs: other threads may
// be reading there.

static inline int half(int x) { return x / 2; }

void unchanged(int n, int m, int *A, const int *B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] -= half(B[i * m + j + 1]) - half(B[i * m + j + 1]);
}

void overwritten(int n, int m, int *restrict A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      A[i * m + j] = half(j);
      A[i * m + j] = j;
    }
}

// CHECK: region 'unchanged'
// CHECK: transformation left{{$}}
// CHECK-NEXT: because 'it stores what it has loaded from the same place, unchanged'
// CHECK: region 'overwritten'
// CHECK: transformation possible threads i j
// GRAPH: dependences of region 'unchanged'
// GRAPH: assumes 'stores of what was loaded from the same place, unchanged, are none'
// GRAPH: dependences of region 'overwritten'
// GRAPH-NOT: unchanged, are none
