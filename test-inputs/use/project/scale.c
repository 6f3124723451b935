#include "scale.h"

void scale(int n, int m, const float *restrict A, float *restrict B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[i * m + j] = 2 * A[i * m + j];
}
