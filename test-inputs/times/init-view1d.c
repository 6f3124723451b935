// Basic_INIT_VIEW1D: a[i] = (i + 1) * v.
// EXTENTS: n = size
#include "times.h"

void init_view1d(long n, double *a, double v) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : a[0 : n])
  for (long i = 0; i < n; ++i)
    a[i] = (i + 1) * v;
}
