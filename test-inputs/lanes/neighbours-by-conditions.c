// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=JUDGE
// ARGS: n: 19
// ARGS: m: 13
// JUDGE: of these new code ran in 3,
// JUDGE: launches compared, 0 wrong
//
// A stencil at whose edges the place itself stands for the neighbour that is missing. In a changed order, what was tested for one side is tested for the other
// one: the loads on both ways of a condition change places. And at an edge, the address is a simpler one, which is not that of other iterations.

#define SIZE 64

// Stored the other way round.
void heat(int n, float (*restrict to)[SIZE], float (*restrict from)[SIZE], float rate) {
#pragma omp target teams distribute parallel for collapse(2) map(from : to[0 : SIZE]) map(to : from[0 : SIZE])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float up = i > 0 ? from[j][i - 1] : from[j][i];
      float down = i < n - 1 ? from[j][i + 1] : from[j][i];
      to[i][j] = from[j][i] + rate * (up + down - 2 * from[j][i]);
    }
}

// CHECK: region 'heat'
// CHECK: transformation possible threads {{(i j|j i)}} lanes

// Rows against rows, with a condition of the shared loop and one of the loop in a thread.
void correlate(int n, int m, float *restrict sums, const float *restrict a, const float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(from : sums[0 : n * n]) map(to : a[0 : n * m], b[0 : n * m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++) {
        float above = i > 0 ? a[(i - 1) * m + k] : a[i * m + k];
        float before = k > 0 ? b[j * m + k - 1] : b[j * m + k];
        sum += above * before;
      }
      sums[i * n + j] = sum;
    }
}

// CHECK: region 'correlate'
// CHECK: transformation possible threads {{(i j|j i)}} lanes

// The same by indexes that stop at the edges.
void clamped(int n, int m, float *restrict to, const float *restrict from, float rate) {
#pragma omp target teams distribute parallel for collapse(2) map(from : to[0 : n * m]) map(to : from[0 : n * m])
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n; i++) {
      int up = i > 0 ? i - 1 : i, left = j > 0 ? j - 1 : j;
      to[i * m + j] = from[i * m + j] + rate * (from[up * m + j] + from[i * m + left]);
    }
}

// CHECK: region 'clamped'
// CHECK: transformation possible threads i j
