// Basic_PI_REDUCE: pi by the area below 1 / (1 + x^2). As in the suite, the sum has its place on the device, and is copied there and back.
// EXTENTS: n = size
// MOVED: sum
#include "times.h"

double pi_reduce(long n, double dx) {
  double sum = 0.0;
#pragma omp target teams distribute parallel for THREADS(n) map(tofrom : sum) reduction(+ : sum)
  for (long i = 0; i < n; ++i) {
    double x = (i + 0.5) * dx;
    sum += dx / (1.0 + x * x);
  }
  return 4.0 * sum;
}
