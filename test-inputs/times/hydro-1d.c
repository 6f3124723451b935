// Lcals_HYDRO_1D: a fragment of hydrodynamics.
// EXTENTS: n = size
#include "times.h"

void hydro_1d(long n, double *x, const double *y, const double *z, double q, double r, double t) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : x[0 : n]) map(to : y[0 : n], z[0 : n + 12])
  for (long i = 0; i < n; ++i)
    x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11]);
}
