// Polybench_HEAT_3D: diffusion to six neighbours, there and back in each of 20 steps.
// EXTENTS: n = cbrt(size) + 2
// LAUNCHES: 20
#include "times.h"

void heat(int n, double *A, double *B) {
#pragma omp target teams distribute parallel for VOLUME(n - 2, n - 2, n - 2) map(to : A[0 : (long)n * n * n]) map(tofrom : B[0 : (long)n * n * n])
  FOR_VOLUME(n - 2, n - 2, n - 2, k, j, i, {
    long row = n;
    long plane = row * n;
    long at = k + 1 + (j + 1) * row + (i + 1) * plane;
    B[at] = 0.125 * (A[at + plane] - 2.0 * A[at] + A[at - plane]) + 0.125 * (A[at + row] - 2.0 * A[at] + A[at - row]) +
            0.125 * (A[at + 1] - 2.0 * A[at] + A[at - 1]) + A[at];
  })
#pragma omp target teams distribute parallel for VOLUME(n - 2, n - 2, n - 2) map(to : B[0 : (long)n * n * n]) map(tofrom : A[0 : (long)n * n * n])
  FOR_VOLUME(n - 2, n - 2, n - 2, k, j, i, {
    long row = n;
    long plane = row * n;
    long at = k + 1 + (j + 1) * row + (i + 1) * plane;
    A[at] = 0.125 * (B[at + plane] - 2.0 * B[at] + B[at - plane]) + 0.125 * (B[at + row] - 2.0 * B[at] + B[at - row]) +
            0.125 * (B[at + 1] - 2.0 * B[at] + B[at - 1]) + B[at];
  })
}
