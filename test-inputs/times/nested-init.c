// Basic_NESTED_INIT: a[i, j, k] = i * j * k.
// EXTENTS: n = cbrt(size)
#include "times.h"

void nested_init(int n, double *a) {
#pragma omp target teams distribute parallel for VOLUME(n, n, n) map(from : a[0 : (long)n * n * n])
  FOR_VOLUME(n, n, n, i, j, k, { a[i + (long)n * (j + (long)n * k)] = 0.00000001 * i * j * k; })
}
