// Apps_FIR: a filter of 16 coefficients.
// EXTENTS: n = size - 16
#include "times.h"

void fir(long n, double *out, const double *in, const double *coefficient) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : out[0 : n]) map(to : in[0 : n + 16], coefficient[0 : 16])
  for (long i = 0; i < n; ++i) {
    double sum = 0.0;
    for (long j = 0; j < 16; ++j)
      sum += coefficient[j] * in[i + j];
    out[i] = sum;
  }
}
