// Basic_IF_QUAD: the real roots of a * x^2 + b * x + c, zeros where there are none.
// EXTENTS: n = size
#include "times.h"

void if_quad(long n, const double *a, const double *b, const double *c, double *x1, double *x2) {
#pragma omp target teams distribute parallel for THREADS(n) map(to : a[0 : n], b[0 : n], c[0 : n]) map(from : x1[0 : n], x2[0 : n])
  for (long i = 0; i < n; ++i) {
    double s = b[i] * b[i] - 4.0 * a[i] * c[i];
    if (s >= 0) {
      s = __builtin_sqrt(s);
      x2[i] = (-b[i] + s) / (2.0 * a[i]);
      x1[i] = (-b[i] - s) / (2.0 * a[i]);
    } else {
      x2[i] = 0.0;
      x1[i] = 0.0;
    }
  }
}
