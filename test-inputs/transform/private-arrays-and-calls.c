// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Arrays of an iteration's own, helpers, and what several iterations count together.

static inline float blend(const float *B, int at, float by) { return B[at] * by; }
__attribute__((noinline)) static int kept(int x) { return x * 3 % 17; }

void array_of_its_own(int n, int m, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float t[4];
      for (int k = 0; k < 4; ++k)
        t[k] = A[i * m + j] * k;
      A[i * m + j] = t[3] - t[1];
    }
}

void array_of_all_inner_iterations(int n, int m, float *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    float t[4] = {1, 2, 3, 4};
    for (int j = 0; j < m; ++j) {
      t[j & 3] += A[i * m + j];
      A[i * m + j] = t[(j + 1) & 3];
    }
  }
}

void helpers(int n, int m, float *A, const float *B) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = blend(B, j, 2) + kept(j);
}

void histogram(int n, int m, float *A, int *R) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      A[i * m + j] += 1;
#pragma omp atomic
      R[(i * 3 + j) & 15] += j;
    }
}

void slots_in_turn(int n, int m, float *A, int *R) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int slot;
#pragma omp atomic capture
      slot = R[i]++;
      A[i * (m + 100) + slot] = j;
    }
}

// CHECK: region 'array_of_its_own'
// CHECK: region 'array_of_all_inner_iterations'
// CHECK: transformation {{left|best}}
// CHECK: region 'helpers'
// CHECK: region 'histogram'
// CHECK: region 'slots_in_turn'
// CHECK: transformation {{left|best}}
