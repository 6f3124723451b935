// Apps_PRESSURE: an equation of state in two loops.
// EXTENTS: n = size
#include "times.h"

void pressure(long n, double *p_new, double *bvc, const double *compression, const double *e_old, const double *vnewc, double cls, double p_cut, double p_min,
              double eosvmax) {
#pragma omp target teams distribute parallel for THREADS(n) map(from : bvc[0 : n]) map(to : compression[0 : n])
  for (long i = 0; i < n; ++i)
    bvc[i] = cls * (compression[i] + 1.0);
#pragma omp target teams distribute parallel for THREADS(n) map(from : p_new[0 : n]) map(to : bvc[0 : n], e_old[0 : n], vnewc[0 : n])
  for (long i = 0; i < n; ++i) {
    double p = bvc[i] * e_old[i];
    if (__builtin_fabs(p) < p_cut)
      p = 0.0;
    if (vnewc[i] >= eosvmax)
      p = 0.0;
    if (p < p_min)
      p = p_min;
    p_new[i] = p;
  }
}
