// Stream_DOT: the inner product. As in the suite, the sum has its place on the device, and is copied there and back.
// EXTENTS: n = size
// MOVED: sum
#include "times.h"

double dot(long n, const double *a, const double *b) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for THREADS(n) map(to : a[0 : n], b[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}
