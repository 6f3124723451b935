// Polybench_JACOBI_2D: means of five neighbours, there and back in each of 40 steps.
// EXTENTS: n = sqrt(size) + 2
// LAUNCHES: 40
#include "times.h"

void jacobi(int n, double *A, double *B) {
#pragma omp target teams distribute parallel for AREA(n - 2, n - 2) map(to : A[0 : (long)n * n]) map(tofrom : B[0 : (long)n * n])
  FOR_AREA(n - 2, n - 2, j, i, {
    long at = j + 1 + (i + 1L) * n;
    B[at] = 0.2 * (A[at] + A[at - 1] + A[at + 1] + A[at + n] + A[at - n]);
  })
#pragma omp target teams distribute parallel for AREA(n - 2, n - 2) map(to : B[0 : (long)n * n]) map(tofrom : A[0 : (long)n * n])
  FOR_AREA(n - 2, n - 2, j, i, {
    long at = j + 1 + (i + 1L) * n;
    A[at] = 0.2 * (B[at] + B[at - 1] + B[at + 1] + B[at + n] + B[at - n]);
  })
}
