// RUN: %device | %FileCheck %s
//
// 3mm.c without its clauses.
// ORACLE: by hand: ../3mm.c

void three_mm(int n, int m, int p, int q, int r, const float *A, const float *B, const float *C,
              const float *D, float *E, float *F, float *G) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], B[0 : m * p]) map(from : E[0 : n * p])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < p; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < m; ++k)
        sum += A[i * m + k] * B[k * p + j];
      E[i * p + j] = sum;
    }

#pragma omp target teams distribute parallel for \
    map(to : C[0 : p * q], D[0 : q * r]) map(from : F[0 : p * r])
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < r; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < q; ++k)
        sum += C[i * q + k] * D[k * r + j];
      F[i * r + j] = sum;
    }

#pragma omp target teams distribute parallel for \
    map(to : E[0 : n * p], F[0 : p * r]) map(from : G[0 : n * r])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < r; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < p; ++k)
        sum += E[i * p + k] * F[k * r + j];
      G[i * r + j] = sum;
    }
}

// CHECK: region 'three_mm' at {{.*}}3mm-plain.c
// CHECK: region 'three_mm' at {{.*}}3mm-plain.c
// CHECK: region 'three_mm' at {{.*}}3mm-plain.c
