// Algorithm_REDUCE_SUM: the sum of all elements. As in the suite, it has its place on the device, and is copied there and back.
// EXTENTS: n = size
// MOVED: sum
#include "times.h"

double reduce_sum(long n, const double *x) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for THREADS(n) map(to : x[0 : n]) map(tofrom : sum) reduction(+ : sum)
  for (long i = 0; i < n; ++i)
    sum += x[i];
  return sum;
}
