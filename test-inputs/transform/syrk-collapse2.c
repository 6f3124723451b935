// RUN: %device | %FileCheck %s
//
// syrk.c as an expert writes it: an element of the triangle per thread.

void syrk(int n, int m, float alpha, float beta, const float *A, float *C) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      float sum = beta * C[i * n + j];
      for (int k = 0; k < m; ++k)
        sum += alpha * A[i * m + k] * A[j * m + k];
      C[i * n + j] = sum;
    }
}

// CHECK: region 'syrk' at {{.*}}syrk-collapse2.c
