// Lcals_TRIDIAG_ELIM: an elimination step in a matrix of three diagonals, from the second element on.
// EXTENTS: n = size
#include "times.h"

void tridiag_elim(long n, double *xout, const double *xin, const double *y, const double *z) {
#pragma omp target teams distribute parallel for THREADS(n - 1) map(tofrom : xout[0 : n]) map(to : xin[0 : n], y[0 : n], z[0 : n])
  for (long i = 1; i < n; ++i)
    xout[i] = z[i] * (y[i] - xin[i - 1]);
}
