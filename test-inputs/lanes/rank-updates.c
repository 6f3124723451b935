// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
//
// Products of rows with rows, or columns with columns: one factor belongs to i, the other to j.
//
// ARGS: n: 21
// ARGS: m: 11
//
// JUDGE: tiles of lanes in 2
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

void syr2k(int n, int m, float alpha, float beta, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], B[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = beta * C[i * n + j];
      for (int k = 0; k < m; ++k)
        sum += alpha * (A[i * m + k] * B[j * m + k] + B[i * m + k] * A[j * m + k]);
      C[i * n + j] = sum;
    }
}

// CHECK: region 'syr2k'
// CHECK: transformation possible threads i j lanes {{[0-9]+x[0-9]+}}

// A triangle: tiles of its hull, in which many lanes are idle.
void correlation(int n, int m, const float *restrict data, float *restrict corr) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * m]) map(tofrom : corr[0 : m * m])
  for (int i = 0; i < m - 1; ++i)
    for (int j = i + 1; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum += data[k * m + i] * data[k * m + j];
      corr[i * m + j] = sum;
      corr[j * m + i] = sum;
    }
}

// CHECK: region 'correlation'
// CHECK: transformation possible threads {{i j|j i}} lanes {{[0-9]+x[0-9]+}}
