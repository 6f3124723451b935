// Lcals_FIRST_DIFF: differences of neighbours.
// EXTENTS: n = size
#include "times.h"

void first_diff(long n, double *x, const double *y) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : x[0 : n]) map(to : y[0 : n + 1])
  for (long i = 0; i < n; ++i)
    x[i] = y[i + 1] - y[i];
}
