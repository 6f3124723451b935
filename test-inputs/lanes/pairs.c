// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
//
// ARGS: n: 11
// ARGS: m: 19
//
// JUDGE: tiles of lanes in 3
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

// The sum in memory. Fusing k as well would touch fewer sectors, and is not right: whole loops that are stay, and so do their tiles.
void syr2k_in_memory(int n, int m, float alpha, const float *restrict A, const float *restrict B, float *restrict C) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], B[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < m; ++k)
        C[i * n + j] += alpha * A[i * m + k] * B[j * m + k] + alpha * B[i * m + k] * A[j * m + k];
}

// CHECK: region 'syr2k_in_memory'
// CHECK: transformation possible threads i j lanes 4x8 sectors 130 to 38

// Distances of pairs, as particles have them: both sides are structures of three numbers.
struct Place { float x, y, z; };

void distances(int n, int m, const struct Place *restrict here, const struct Place *restrict there, float *restrict d) {
#pragma omp target teams distribute parallel for map(to : here[0 : n], there[0 : m]) map(from : d[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float x = here[i].x - there[j].x, y = here[i].y - there[j].y, z = here[i].z - there[j].z;
      d[i * m + j] = x * x + y * y + z * z;
    }
}

// CHECK: region 'distances'
// CHECK: transformation possible threads i j lanes {{[0-9]+x[0-9]+}}

// A stencil whose coefficients are stored the other way round.
void heat(int n, int m, const float *restrict from, const float *restrict c, float *restrict to) {
#pragma omp target teams distribute parallel for map(to : from[0 : n * m], c[0 : n * m]) map(tofrom : to[0 : n * m])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      to[i * m + j] = c[j * n + i] * (from[(i - 1) * m + j] + from[(i + 1) * m + j] + from[i * m + j - 1] + from[i * m + j + 1]);
}

// CHECK: region 'heat'
// CHECK: transformation possible threads {{i j|j i}} lanes {{[0-9]+x[0-9]+}}
