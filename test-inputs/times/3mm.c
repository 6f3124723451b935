// Polybench_3MM: (A * B) * (C * D), all matrices square.
// EXTENTS: n = sqrt(size)
#include "times.h"

void product_e(int n, const double *A, const double *B, double *E) {
#pragma omp target teams distribute parallel for AREA(n, n) map(to : A[0 : (long)n * n], B[0 : (long)n * n]) map(from : E[0 : (long)n * n])
  FOR_AREA(n, n, j, i, {
    double sum = 0.0;
    for (long k = 0; k < n; ++k)
      sum += A[k + (long)i * n] * B[j + k * n];
    E[j + (long)i * n] = sum;
  })
}

void product_f(int n, const double *C, const double *D, double *F) {
#pragma omp target teams distribute parallel for AREA(n, n) map(to : C[0 : (long)n * n], D[0 : (long)n * n]) map(from : F[0 : (long)n * n])
  FOR_AREA(n, n, j, i, {
    double sum = 0.0;
    for (long k = 0; k < n; ++k)
      sum += C[k + (long)i * n] * D[j + k * n];
    F[j + (long)i * n] = sum;
  })
}

void product_g(int n, const double *E, const double *F, double *G) {
#pragma omp target teams distribute parallel for AREA(n, n) map(to : E[0 : (long)n * n], F[0 : (long)n * n]) map(from : G[0 : (long)n * n])
  FOR_AREA(n, n, j, i, {
    double sum = 0.0;
    for (long k = 0; k < n; ++k)
      sum += E[k + (long)i * n] * F[j + k * n];
    G[j + (long)i * n] = sum;
  })
}
