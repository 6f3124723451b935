// RUN: %device | %FileCheck %s
//
// syr2k.c as an expert writes it: an element per thread.

void syr2k(int n, int m, float alpha, float beta, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m], B[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = beta * C[i * n + j];
      for (int k = 0; k < m; ++k)
        sum += alpha * (A[i * m + k] * B[j * m + k] + B[i * m + k] * A[j * m + k]);
      C[i * n + j] = sum;
    }
}

// CHECK: region 'syr2k' at {{.*}}syr2k-collapse2.c
