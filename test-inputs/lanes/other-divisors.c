// REQUIRES: libomp-device-bc
// RUN: %ipda-oracle transform --optimised --mapping 2 %s | %FileCheck %s --check-prefix=JUDGE
//
// Addresses take the number apart by shifts, and the code divides it by another number besides: that quotient is no digit of what a tile runs.
//
// JUDGE: 2 kernels, 2 transformed; of these new code ran in 2, {{.*}} both in 2,
// JUDGE: tiles of lanes in 2
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
#define WIDTH 64

void shifted(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], b[0 : m * WIDTH]) map(from : c[0 : n * WIDTH])
  for (int x = 0; x < n * WIDTH; x++) {
    float sum = 0;
    for (int k = 0; k < m; k++)
      sum += a[(x >> 6) * m + k] * b[k * WIDTH + (x & 63)];
    c[x] = sum + x / 48;
  }
}

void divided(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m], b[0 : m * WIDTH]) map(from : c[0 : n * WIDTH])
  for (int x = 0; x < n * WIDTH; x++) {
    float sum = 0;
    for (int k = 0; k < m; k++)
      sum += a[(x / WIDTH) * m + k] * b[k * WIDTH + (x % WIDTH)];
    c[x] = sum + x / 48;
  }
}
