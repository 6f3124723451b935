// Stream_ADD: c = a + b.
// EXTENTS: n = size
#include "times.h"

void add(long n, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for THREADS(n) map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (long i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}
