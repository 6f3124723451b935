// Lcals_FIRST_SUM: sums of neighbours, from the second element on.
// EXTENTS: n = size
#include "times.h"

void first_sum(long n, double *x, const double *y) {
#pragma omp target teams distribute parallel for THREADS(n - 1) map(tofrom : x[0 : n]) map(to : y[0 : n])
  for (long i = 1; i < n; ++i)
    x[i] = y[i - 1] + y[i];
}
