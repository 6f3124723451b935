// Polybench_ATAX: y = transpose(A) * (A * x).
// EXTENTS: n = sqrt(size)
#include "times.h"

void atax(long n, const double *A, const double *x, double *y, double *tmp) {
#pragma omp target teams distribute parallel for THREADS(n) map(to : A[0 : n * n], x[0 : n]) map(from : y[0 : n], tmp[0 : n])
  for (long i = 0; i < n; ++i) {
    y[i] = 0.0;
    double dot = 0.0;
    for (long j = 0; j < n; ++j)
      dot += A[j + i * n] * x[j];
    tmp[i] = dot;
  }
#pragma omp target teams distribute parallel for THREADS(n) map(to : A[0 : n * n], tmp[0 : n]) map(tofrom : y[0 : n])
  for (long j = 0; j < n; ++j) {
    double dot = y[j];
    for (long i = 0; i < n; ++i)
      dot += A[j + i * n] * tmp[i];
    y[j] = dot;
  }
}
