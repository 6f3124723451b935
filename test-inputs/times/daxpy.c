// Basic_DAXPY: y = a * x + y.
// EXTENTS: n = size
#include "times.h"

void daxpy(long n, const double *x, double *y, double a) {
#pragma omp target teams distribute parallel for THREADS(n) map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] += a * x[i];
}
