// Lcals_DIFF_PREDICT: repeated differences over ten planes of 14.
// EXTENTS: n = size
#include "times.h"

void diff_predict(long n, double *px, const double *cx) {
#pragma omp target teams distribute parallel for THREADS(n) map(tofrom : px[0 : 14 * n]) map(to : cx[0 : 14 * n])
  for (long i = 0; i < n; ++i) {
    double a = cx[i + n * 4];
    double b = a - px[i + n * 4];
    px[i + n * 4] = a;
    double c = b - px[i + n * 5];
    px[i + n * 5] = b;
    a = c - px[i + n * 6];
    px[i + n * 6] = c;
    b = a - px[i + n * 7];
    px[i + n * 7] = a;
    c = b - px[i + n * 8];
    px[i + n * 8] = b;
    a = c - px[i + n * 9];
    px[i + n * 9] = c;
    b = a - px[i + n * 10];
    px[i + n * 10] = a;
    c = b - px[i + n * 11];
    px[i + n * 11] = b;
    px[i + n * 13] = c - px[i + n * 12];
    px[i + n * 12] = c;
  }
}
