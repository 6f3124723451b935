// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Arrays of an iteration's own that stand between the loops: each thread makes them again, unless it needs what others put there.

void made_for_a_row(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float t[2];
    t[0] = x[i];
    t[1] = 3 * t[0];
    for (int j = 0; j < m; ++j)
      A[i * m + j] = t[j & 1] + j;
  }
}

void read_behind(int n, int m, int k, float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float t[2];
    t[0] = 1;
    t[1] = 3;
    for (int j = 0; j < m; ++j) {
      t[0] = i * 3 + j;
      A[i * m + j] = t[0] * 2;
    }
    B[i] = t[k & 1];
  }
}

void changed_for_the_next(int n, int m, float *restrict A, const float *restrict x) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float t[2];
    t[0] = x[i];
    t[1] = 1;
    for (int j = 0; j < m; ++j) {
      A[i * m + j] = t[j & 1];
      t[(j + 1) & 1] += j;
    }
  }
}

// CHECK: region 'made_for_a_row'
// CHECK: transformation possible threads i j
// CHECK: region 'read_behind'
// CHECK: transformation left threads i j
// CHECK-NEXT: because '{{.*}}dependence of local t
// CHECK: region 'changed_for_the_next'
// CHECK: transformation left threads i j
// CHECK-NEXT: because '{{.*}}dependence of local t
