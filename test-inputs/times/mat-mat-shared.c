// Basic_MAT_MAT_SHARED: C = A * B by square tiles of shared memory, a block a tile of C.
// EXTENTS: n = sqrt(size)
#include "times.h"

void product(int n, const double *A, const double *B, double *C) {
#pragma omp target TILES(n) map(to : A[0 : (long)n * n], B[0 : (long)n * n]) map(from : C[0 : (long)n * n])
  for (int block = 0; block < CEIL(n, TILE) * CEIL(n, TILE); ++block) {
    double a[TILE][TILE], b[TILE][TILE], c[TILE][TILE];
    int row = block / CEIL(n, TILE) * TILE, column = block % CEIL(n, TILE) * TILE;
    BY_THREADS
    for (int t = 0; t < TILE * TILE; ++t)
      c[t / TILE][t % TILE] = 0.0;
    for (int k = 0; k < CEIL(n, TILE); ++k) {
      BY_THREADS
      for (int t = 0; t < TILE * TILE; ++t) {
        int y = t / TILE, x = t % TILE;
        a[y][x] = k * TILE + x < n && row + y < n ? A[(long)(row + y) * n + k * TILE + x] : 0.0;
        b[y][x] = k * TILE + y < n && column + x < n ? B[(long)(k * TILE + y) * n + column + x] : 0.0;
      }
      BY_THREADS
      for (int t = 0; t < TILE * TILE; ++t)
        for (int i = 0; i < TILE; ++i)
          c[t / TILE][t % TILE] += a[t / TILE][i] * b[i][t % TILE];
    }
    BY_THREADS
    for (int t = 0; t < TILE * TILE; ++t)
      if (row + t / TILE < n && column + t % TILE < n)
        C[(long)(row + t / TILE) * n + column + t % TILE] = c[t / TILE][t % TILE];
  }
}
