// Each inner element of out is a weighted sum of the 3 x 3 elements around the one of in: a row per thread; by hand, an element per thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *in, *out;

static void make(int size) {
  n = size;
  NUMBER_OF(in, n * n), NUMBER_OF(out, n * n);
  FILL(in, n * n, 1);
}

static void reset(void) { POISON(out, n * n); }

static void reset_device(void) {
#pragma omp target update to(out[0 : n * n])
}

static void convolve(int n, float *in, float *out) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : in[0 : n * n]) map(from : out[0 : n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      out[i * n + j] = 1 * in[(i - 1) * n + j - 1] - 3 * in[(i - 1) * n + j] + 5 * in[(i - 1) * n + j + 1] +
                       7 * in[i * n + j - 1] + 2 * in[i * n + j] - 4 * in[i * n + j + 1] - 6 * in[(i + 1) * n + j - 1] +
                       8 * in[(i + 1) * n + j] + 9 * in[(i + 1) * n + j + 1];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : in[0 : n * n]) map(from : out[0 : n * n])
  work();
}

static void kernels(void) { convolve(n, in, out); }

static void check(void) {
  static const float weights[3][3] = {{1, -3, 5}, {7, 2, -4}, {-6, 8, 9}};
  CHECKED_ROWS(i, 1, n - 1, row_step(n, 9.0 * n))
    for (int j = 1; j < n - 1; ++j) {
      float sum = 0;
      for (int down = 0; down < 3; ++down)
        for (int right = 0; right < 3; ++right)
          sum += weights[down][right] * in[(i + down - 1) * n + j + right - 1];
      expect("out", i * n + j, out[i * n + j], sum);
    }
}

// What lies at the border is not written.
static void results(void) {
  for (int i = 1; i < n - 1; ++i)
    RESULTS(out + i * n + 1, n - 2);
}
