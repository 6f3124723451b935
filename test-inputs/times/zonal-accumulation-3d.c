// Apps_ZONAL_ACCUMULATION_3D: each zone of a mesh gets the sum of its eight nodes. Zones come from a list; two layers lie around the mesh.
// EXTENTS: edge = cbrt(size); n = edge**3; jp = edge + 5; kp = jp**2; all = jp**3
#include "times.h"

void zonal_accumulation(long n, long jp, long kp, long all, double *zonal, const double *x, const long *zones) {
#pragma omp target teams distribute parallel for THREADS(n) map(tofrom : zonal[0 : all]) map(to : x[0 : all], zones[0 : n])
  for (long i = 0; i < n; ++i) {
    long z = zones[i];
    zonal[z] = x[z] + x[z + 1] + x[z + jp] + x[z + 1 + jp] + x[z + kp] + x[z + 1 + kp] + x[z + jp + kp] + x[z + 1 + jp + kp];
  }
}
