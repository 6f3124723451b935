// RUN: %amdgcn | %FileCheck %s
// RUN: %ipda-oracle transform --target amdgcn %s | %FileCheck %s --check-prefix=JUDGE
//
// On AMD's GPUs 64 threads run together: tiles of as many.
//
// ARGS: n: 21
// ARGS: m: 19
//
// JUDGE: tiles of lanes in 2
// JUDGE: {{[0-9]+}} launches compared, 0 wrong

void transpose(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// CHECK: region 'transpose'
// CHECK: transformation possible threads i j lanes {{8x8|4x16}}

void covariance(int n, int m, const double *restrict data, double *restrict cov) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * m]) map(from : cov[0 : m * m])
  for (int i = 0; i < m; ++i)
    for (int j = i; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += data[k * m + i] * data[k * m + j];
      cov[i * m + j] = cov[j * m + i] = sum / (n - 1);
    }
}

// CHECK: region 'covariance'
// CHECK: transformation possible threads i j lanes {{[0-9]+x[0-9]+}}
