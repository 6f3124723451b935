// Lcals_INT_PREDICT: an integrating predictor over ten planes of 13.
// EXTENTS: n = size
#include "times.h"

void int_predict(long n, double *px, double dm22, double dm23, double dm24, double dm25, double dm26, double dm27, double dm28, double c0) {
#pragma omp target teams distribute parallel for THREADS(n) map(tofrom : px[0 : 13 * n])
  for (long i = 0; i < n; ++i)
    px[i] = dm28 * px[i + n * 12] + dm27 * px[i + n * 11] + dm26 * px[i + n * 10] + dm25 * px[i + n * 9] + dm24 * px[i + n * 8] +
            dm23 * px[i + n * 7] + dm22 * px[i + n * 6] + c0 * (px[i + n * 4] + px[i + n * 5]) + px[i + n * 2];
}
