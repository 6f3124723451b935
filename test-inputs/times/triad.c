// Stream_TRIAD: a = b + alpha * c.
// EXTENTS: n = size
#include "times.h"

void triad(long n, double *a, const double *b, const double *c, double alpha) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : a[0 : n]) map(to : b[0 : n], c[0 : n])
  for (long i = 0; i < n; ++i)
    a[i] = b[i] + alpha * c[i];
}
