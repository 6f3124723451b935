// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --optimised --mapping 3 %s | %FileCheck %s --check-prefix=JUDGE
//
// Rows that begin or end where others do not: of triangles above the diagonal, of bands, and of loops that are tiled by hand, whose ends are the lesser of
// two numbers. All of them have as many numbers as the longest row, and what is beyond a row's own end does nothing.
//
// JUDGE: 7 kernels, 7 transformed; of these new code ran in 7,
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

// Neighbouring threads in neighbouring columns touch what neighbouring rows do at the same column.
void rank_update(int n, int m, const float *restrict a, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      float s = 0;
      for (int k = 0; k < m; k++)
        s += a[i * m + k] * a[j * m + k];
      c[i * n + j] += s;
    }
}
// CHECK: region 'rank_update'
// CHECK: transformation possible threads i j lanes 4x8 sectors 64.06 to 15.01

void swap_halves(int n, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n - 1; i++)
    for (int j = i + 1; j < n; j++) {
      double other = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = other;
    }
}
// CHECK: region 'swap_halves'
// CHECK: transformation possible threads i j lanes {{[0-9]+}}x{{[0-9]+}} sectors

void band(int n, int width, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = MAX(i - width, 0); j <= MIN(i + width, n - 1); j++)
      b[j * n + i] += a[i * n + j];
}
// CHECK: region 'band'
// CHECK: transformation possible threads i j

void upper_band(int n, int width, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = i; j < MIN(i + width, n); j++)
      b[i * n + j] += a[i * n + j];
}
// CHECK: region 'upper_band'
// CHECK: transformation possible threads i j sectors 96 to 22.88

void tiled_by_hand(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < m; jj += 16)
      for (int i = ii; i < MIN(ii + 16, n); i++)
        for (int j = jj; j < MIN(jj + 16, m); j++)
          b[j * n + i] = a[i * m + j];
}
// CHECK: region 'tiled_by_hand'
// CHECK: transformation possible threads ii, jj j i lanes 1x8x4 sectors 64 to 18.38

// One loop of the tiles is shared: that no two of them meet is known of both ends.
void strips_by_hand(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int ii = 0; ii < n; ii += 8)
    for (int jj = 0; jj < m; jj += 8)
      for (int i = ii; i < MIN(ii + 8, n); i++)
        for (int j = jj; j < MIN(jj + 8, m); j++)
          b[i * m + j] = 2 * a[i * m + j];
}
// CHECK: region 'strips_by_hand'
// CHECK: transformation possible threads ii jj

// Nobody reads the counters behind the loops, which clang's code for simd hands on.
void with_simd(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for simd collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[j * n + i] = a[i * m + j];
}
// CHECK: region 'with_simd'
// CHECK: transformation possible threads i j lanes 4x8 sectors 36 to 18
