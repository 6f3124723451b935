// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// A variable of each thread's own that one iteration leaves for the thread's next one.

void given_first(int n, int m, float *A) {
  float x[4] = {0, 1, 2, 3};
#pragma omp target parallel for firstprivate(x)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[(i + j) & 3];
    x[i & 3] = 9;
  }
}

// One that is only read, and one that each iteration makes anew, are no obstacle.
void given_only(int n, int m, float *A) {
  float x[4] = {0, 1, 2, 3};
#pragma omp target teams distribute parallel for firstprivate(x)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = x[(i + j) & 3];
}

// CHECK: region 'given_first'
// CHECK: transformation left
// CHECK-NEXT: because '{{.*}}each thread{{.*}}s own
// CHECK: region 'given_only'
// CHECK: transformation possible threads i j
