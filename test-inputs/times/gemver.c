// Polybench_GEMVER: two products of vectors are added to a matrix, by which two vectors are multiplied.
// EXTENTS: n = sqrt(size)
#include "times.h"

void gemver(int n, double alpha, double beta, double *A, const double *u1, const double *v1, const double *u2, const double *v2, double *w, double *x,
            const double *y, const double *z) {
#pragma omp target teams distribute parallel for AREA(n, n) map(tofrom : A[0 : (long)n * n]) map(to : u1[0 : n], v1[0 : n], u2[0 : n], v2[0 : n])
  FOR_AREA(n, n, j, i, { A[j + (long)i * n] += u1[i] * v1[j] + u2[i] * v2[j]; })
#pragma omp target teams distribute parallel for THREADS(n) map(to : A[0 : (long)n * n], y[0 : n]) map(tofrom : x[0 : n])
  for (long i = 0; i < n; ++i) {
    double dot = 0.0;
    for (long j = 0; j < n; ++j)
      dot += beta * A[i + j * n] * y[j];
    x[i] += dot;
  }
#pragma omp target teams distribute parallel for THREADS(n) map(to : z[0 : n]) map(tofrom : x[0 : n])
  for (long i = 0; i < n; ++i)
    x[i] += z[i];
#pragma omp target teams distribute parallel for THREADS(n) map(to : A[0 : (long)n * n], x[0 : n]) map(tofrom : w[0 : n])
  for (long i = 0; i < n; ++i) {
    double dot = w[i];
    for (long j = 0; j < n; ++j)
      dot += alpha * A[j + i * n] * x[j];
    w[i] = dot;
  }
}
