// Algorithm_MEMCPY: y = x.
// EXTENTS: n = size
#include "times.h"

void copy(long n, const double *x, double *y) {
#pragma omp target teams distribute parallel for THREADS(n) map(to : x[0 : n]) map(from : y[0 : n])
  for (long i = 0; i < n; ++i)
    y[i] = x[i];
}
