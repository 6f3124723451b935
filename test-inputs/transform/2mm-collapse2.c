// RUN: %device | %FileCheck %s
//
// 2mm.c as an expert writes it: an element per thread.

void two_mm(int n, int m, int p, int q, float alpha, float beta, const float *A, const float *B,
            const float *C, float *D, float *tmp) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m], B[0 : m * p]) map(from : tmp[0 : n * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < p; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < m; ++k)
        sum += alpha * A[i * m + k] * B[k * p + j];
      tmp[i * p + j] = sum;
    }

#pragma omp target teams distribute parallel for collapse(2) \
    map(to : tmp[0 : n * p], C[0 : p * q]) map(tofrom : D[0 : n * q])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < q; ++j) {
      float sum = beta * D[i * q + j];
      for (int k = 0; k < p; ++k)
        sum += tmp[i * p + k] * C[k * q + j];
      D[i * q + j] = sum;
    }
}

// CHECK: region 'two_mm' at {{.*}}2mm-collapse2.c
// CHECK: region 'two_mm' at {{.*}}2mm-collapse2.c
