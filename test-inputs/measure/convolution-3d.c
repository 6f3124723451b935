// Each inner element of out is a weighted sum of elements of in among the 3 x 3 x 3 around it: a plane per thread; by hand, an element per
// thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *in, *out;

static void make(int size) {
  n = size;
  NUMBER_OF(in, n * n * n), NUMBER_OF(out, n * n * n);
  FILL(in, n * n * n, 1);
}

static void reset(void) { POISON(out, n * n * n); }

static void reset_device(void) {
#pragma omp target update to(out[0 : n * n * n])
}

static void convolve(int n, float *in, float *out) {
#pragma omp target teams distribute parallel for COLLAPSE(3) map(to : in[0 : n * n * n]) map(from : out[0 : n * n * n])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      for (int k = 1; k < n - 1; ++k)
        out[(i * n + j) * n + k] =
            2 * in[((i - 1) * n + j - 1) * n + k - 1] + 4 * in[((i + 1) * n + j - 1) * n + k - 1] +
            5 * in[((i - 1) * n + j) * n + k] - 3 * in[((i + 1) * n + j) * n + k] + 7 * in[(i * n + j - 1) * n + k] -
            6 * in[(i * n + j + 1) * n + k] + 8 * in[(i * n + j) * n + k] - 9 * in[(i * n + j) * n + k + 1] +
            10 * in[((i - 1) * n + j + 1) * n + k + 1] - 11 * in[((i + 1) * n + j + 1) * n + k + 1];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : in[0 : n * n * n]) map(from : out[0 : n * n * n])
  work();
}

static void kernels(void) { convolve(n, in, out); }

static void check(void) {
  static const struct {
    int down, back, right, weight;
  } terms[] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, 0, 0, 5}, {1, 0, 0, -3},  {0, -1, 0, 7},
               {0, 1, 0, -6},   {0, 0, 0, 8},   {0, 0, 1, -9}, {-1, 1, 1, 10}, {1, 1, 1, -11}};
  enum { TERMS = sizeof terms / sizeof *terms };
  CHECKED_ROWS(i, 1, n - 1, row_step(n, (double)TERMS * n * n))
    for (int j = 1; j < n - 1; ++j)
      for (int k = 1; k < n - 1; ++k) {
        float sum = 0;
        for (int t = 0; t < TERMS; ++t)
          sum += terms[t].weight * in[((i + terms[t].down) * n + j + terms[t].back) * n + k + terms[t].right];
        expect("out", (i * n + j) * n + k, out[(i * n + j) * n + k], sum);
      }
}

// What lies at the border is not written.
static void results(void) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      RESULTS(out + (i * n + j) * n + 1, n - 2);
}
