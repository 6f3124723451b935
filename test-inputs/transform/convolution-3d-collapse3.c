// RUN: %device | %FileCheck %s
//
// convolution-3d.c as an expert writes it: a pixel per thread.
// ARGS: n: 40
// ARGS: m: 12
// ARGS: p: 14

void convolution_3d(int n, int m, int p, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(3) \
    map(to : A[0 : n * m * p]) map(from : B[0 : n * m * p])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      for (int k = 1; k < p - 1; ++k)
        B[(i * m + j) * p + k] =
            2.0f * A[(i * m + j) * p + k] - 0.5f * A[((i - 1) * m + j) * p + k] -
            0.5f * A[((i + 1) * m + j) * p + k] + 0.3f * A[(i * m + j - 1) * p + k] +
            0.3f * A[(i * m + j + 1) * p + k] + 0.1f * A[(i * m + j) * p + k - 1] +
            0.1f * A[(i * m + j) * p + k + 1];
}

// CHECK: region 'convolution_3d' at {{.*}}convolution-3d-collapse3.c
