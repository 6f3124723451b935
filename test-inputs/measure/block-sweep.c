// Forward elimination in systems of 3 x 3 blocks whose factors are known, lines of a volume along j, as 570.pbt's: the blocks of one
// system lie beside those of the next one, so that the threads of a warp are 3 or 9 numbers apart at best. The source runs a plane k per thread; by
// hand, i comes outside and is fused with k.
//
// ARGS: n: 12
#include "measure.h"

enum { ROWS = 3, BLOCK = ROWS * ROWS };

static int n;
static double *factor, *right;

static void make(int size) {
  n = size;
  size_t points = (size_t)n * n * n;
  NUMBER_OF(factor, points * BLOCK), NUMBER_OF(right, points * ROWS);
  // One number of each row is 1, -1 or 0: what is carried along a line grows by no more than 2 with each step.
  for (size_t row = 0; row < points * ROWS; ++row)
    for (int column = 0; column < ROWS; ++column)
      factor[row * ROWS + column] = (small(2, row) + 2) % ROWS == column ? small(1, row) / 2 : 0;
}

static void reset(void) { FILL(right, (size_t)n * n * n * ROWS, 3); }

static void reset_device(void) {
#pragma omp target update to(right[0 : n * n * n * ROWS])
}

static void eliminate(int n, double *factor, double *right) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : factor[0 : n * n * n * BLOCK])                            \
    map(tofrom : right[0 : n * n * n * ROWS])
  for (int k = 0; k < n; ++k)
#ifdef BY_HAND
    for (int i = 0; i < n; ++i)
      for (int j = 1; j < n; ++j)
#else
    for (int j = 1; j < n; ++j)
      for (int i = 0; i < n; ++i)
#endif
        for (int row = 0; row < ROWS; ++row)
          for (int column = 0; column < ROWS; ++column)
            right[((k * n + j) * n + i) * ROWS + row] -= factor[((k * n + j) * n + i) * BLOCK + row * ROWS + column] *
                                                         right[((k * n + j - 1) * n + i) * ROWS + column];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : factor[0 : n * n * n * BLOCK]) map(tofrom : right[0 : n * n * n * ROWS])
  work();
}

static void kernels(void) { eliminate(n, factor, right); }

static void check(void) {
  CHECKED_ROWS(k, 0, n, row_step(n, (double)BLOCK * n * n))
    for (int i = 0; i < n; ++i) {
      double before[ROWS] = {0}, here[ROWS];
      for (int j = 0; j < n; ++j) {
        size_t point = ((size_t)k * n + j) * n + i;
        for (int row = 0; row < ROWS; ++row) {
          here[row] = small(3, point * ROWS + row);
          for (int column = 0; j && column < ROWS; ++column)
            here[row] -= factor[point * BLOCK + row * ROWS + column] * before[column];
          expect("right", point * ROWS + row, right[point * ROWS + row], here[row]);
        }
        memcpy(before, here, sizeof before);
      }
    }
}

static void results(void) { RESULTS(right, (size_t)n * n * n * ROWS); }
