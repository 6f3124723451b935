// Basic_REDUCE_STRUCT: sum, least and greatest of both coordinates of points. The suite copies all six in one piece, as one of them is here.
// EXTENTS: n = size
// MOVED: sx
#include "times.h"

void reduce_struct(long n, const double *x, const double *y, double *result) {
  double sx = 0.0, lx = 1e30, gx = -1e30, sy = 0.0, ly = 1e30, gy = -1e30;
#pragma omp target teams distribute parallel for THREADS(n) map(to : x[0 : n], y[0 : n]) map(tofrom : sx, lx, gx, sy, ly, gy) \
    reduction(+ : sx, sy) reduction(min : lx, ly) reduction(max : gx, gy)
  for (long i = 0; i < n; ++i) {
    sx += x[i];
    lx = x[i] < lx ? x[i] : lx;
    gx = x[i] > gx ? x[i] : gx;
    sy += y[i];
    ly = y[i] < ly ? y[i] : ly;
    gy = y[i] > gy ? y[i] : gy;
  }
  result[0] = sx, result[1] = lx, result[2] = gx, result[3] = sy, result[4] = ly, result[5] = gy;
}
