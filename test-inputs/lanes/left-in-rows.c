// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
//
// Nests in which a warp stays in a row.
//
// JUDGE-NOT: tiles of lanes
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

// All want the same loop to be the fastest.
void product(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], b[0 : n * m]) map(tofrom : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k)
        c[i * n + j] += a[i * m + k] * b[k * n + j];
}

// CHECK: region 'product'
// CHECK: transformation possible threads i j sectors

// With three rows, a tile of four has idle lanes, and of two there is little to gain.
void few_rows(int m, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : 3 * m]) map(from : b[0 : 3 * m])
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < 3; ++i)
      b[j * 3 + i] = a[i * m + j];
}

// CHECK: region 'few_rows'
// CHECK-NOT: lanes {{[0-9]+}}x

// The thread with the last iteration leaves its counter: the last number of a tile may have none.
void last(int n, int m, const float *restrict a, float *restrict b, int *restrict out) {
  int i, j;
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m]) map(tofrom : i) \
    lastprivate(i)
  for (i = 0; i < n; ++i)
    for (j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
  *out = i;
}

// CHECK: region 'last'
// CHECK: transformation left threads i j lanes 4x8
// CHECK-NEXT: because 'which iteration is the last one matters after the loop'

// Loops whole have their last iteration at the last number.
void last_of_rows(int n, int m, const float *restrict a, float *restrict b, int *restrict out) {
  int i;
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m]) map(tofrom : i) lastprivate(i)
  for (i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
  *out = i;
}

// CHECK: region 'last_of_rows'
// CHECK: transformation possible threads i j sectors

void linear(int n, int m, const float *restrict a, float *restrict b, int *restrict out) {
  int at = 3;
#pragma omp target parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m]) map(tofrom : at) linear(at : 2)
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j] + at;
    at += 2;
  }
  *out = at;
}

// CHECK: region 'linear'
// CHECK-NOT: lanes {{[0-9]+}}x

void in_order(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target parallel for ordered map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
#pragma omp ordered
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// CHECK: region 'in_order'
// CHECK-NOT: lanes {{[0-9]+}}x

// Threads stop early.
void cancelled(int n, int m, const float *restrict a, float *restrict b, int *restrict out) {
#pragma omp target parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m]) map(tofrom : out[0 : 1])
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
#pragma omp cancel for if (a[i * m] < 0)
  }
}

// CHECK: region 'cancelled'
// CHECK: transformation left
// CHECK-NEXT: because 'by cancel, a loop ends early: its iterations are not numbered'
