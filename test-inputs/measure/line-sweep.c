// Solves many small systems whose factors are known, lines of a volume along its middle dimension j: forward elimination, then back
// substitution. j carries the dependence; k and i tell the systems apart. The source runs a plane k per thread and i inside j; by hand, i comes
// outside and is fused with k, so that neighbouring threads have neighbouring systems.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static double *lower, *upper, *right;

static void make(int size) {
  n = size;
  NUMBER_OF(lower, n * n * n), NUMBER_OF(upper, n * n * n), NUMBER_OF(right, n * n * n);
  // -1, 0 and 1: what is carried along a line grows by no more than a few with each step.
  for (size_t element = 0; element < (size_t)n * n * n; ++element) {
    lower[element] = small(1, element) / 2;
    upper[element] = small(2, element) / 2;
  }
}

static void reset(void) { FILL(right, n * n * n, 3); }

static void reset_device(void) {
#pragma omp target update to(right[0 : n * n * n])
}

static void eliminate(int n, double *lower, double *right) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : lower[0 : n * n * n]) map(tofrom : right[0 : n * n * n])
  for (int k = 0; k < n; ++k)
#ifdef BY_HAND
    for (int i = 0; i < n; ++i)
      for (int j = 1; j < n; ++j)
#else
    for (int j = 1; j < n; ++j)
      for (int i = 0; i < n; ++i)
#endif
        right[(k * n + j) * n + i] -= lower[(k * n + j) * n + i] * right[(k * n + j - 1) * n + i];
}

static void substitute(int n, double *upper, double *right) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : upper[0 : n * n * n]) map(tofrom : right[0 : n * n * n])
  for (int k = 0; k < n; ++k)
#ifdef BY_HAND
    for (int i = 0; i < n; ++i)
      for (int j = n - 2; j >= 0; --j)
#else
    for (int j = n - 2; j >= 0; --j)
      for (int i = 0; i < n; ++i)
#endif
        right[(k * n + j) * n + i] -= upper[(k * n + j) * n + i] * right[(k * n + j + 1) * n + i];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : lower[0 : n * n * n], upper[0 : n * n * n]) map(tofrom : right[0 : n * n * n])
  work();
}

static void kernels(void) {
  eliminate(n, lower, right);
  substitute(n, upper, right);
}

static void check(void) {
  double *line = allocate(sizeof(double) * n);
  CHECKED_ROWS(k, 0, n, row_step(n, 2.0 * n * n))
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        size_t element = ((size_t)k * n + j) * n + i;
        line[j] = small(3, element) - (j ? lower[element] * line[j - 1] : 0);
      }
      for (int j = n - 1; j >= 0; --j) {
        size_t element = ((size_t)k * n + j) * n + i;
        if (j < n - 1)
          line[j] -= upper[element] * line[j + 1];
        expect("right", element, right[element], line[j]);
      }
    }
  free(line);
}

static void results(void) { RESULTS(right, n * n * n); }
