// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// ARGS: n: 11
// ARGS: m: 19
// ARGS: p: 5
//
// JUDGE: tiles of lanes in 5
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

// Sums of tiles: who has no iteration adds nothing.
void trace_of_product(int n, int m, const int *restrict a, const int *restrict b, int *restrict out) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], b[0 : n * m]) map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j] * b[j * n + i];
  *out = sum;
}

// CHECK: region 'trace_of_product'
// CHECK: transformation possible threads i j lanes 4x8

void largest(int n, int m, const int *restrict a, const int *restrict b, int *restrict out) {
  int most = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m], b[0 : n * m]) map(tofrom : most) reduction(max : most)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int x = a[i * m + j] - b[j * n + i];
      most = most < x ? x : most;
    }
  *out = most;
}

// CHECK: region 'largest'
// CHECK: transformation possible threads {{.*}} lanes

// Two loops that threads share, one after the other.
void there_and_back(int n, int m, float *restrict a, float *restrict b) {
#pragma omp target parallel map(tofrom : a[0 : n * m], b[0 : n * m])
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        b[j * n + i] = a[i * m + j];
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        a[i * m + j] = b[j * n + i] + 1;
  }
}

// CHECK: region 'there_and_back'

// Teams that are no multiple of a warp: tiles lie across the ends of teams.
void odd_teams(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for thread_limit(45) num_teams(7) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// CHECK: region 'odd_teams'
// CHECK: transformation possible threads i j lanes 4x8

// Three loops, of which two want to be the fastest.
void swapped_ends(int n, int m, int p, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : n * m * p]) map(from : b[0 : n * m * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        b[(k * m + j) * n + i] = a[(i * m + j) * p + k];
}

// CHECK: region 'swapped_ends'
// CHECK: transformation possible threads {{.*}} lanes
