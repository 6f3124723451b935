// G = (A B) (C D) in three matrix products, E and F staying on the device: a row per thread; by hand, an element per thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *A, *B, *C, *D, *E, *F, *G;

static void make(int size) {
  n = size;
  NUMBER_OF(A, n * n), NUMBER_OF(B, n * n), NUMBER_OF(C, n * n), NUMBER_OF(D, n * n);
  NUMBER_OF(E, n * n), NUMBER_OF(F, n * n), NUMBER_OF(G, n * n);
  // Sums of products of sums stay below 2^24, beyond which float skips whole numbers.
  for (size_t element = 0; element < (size_t)n * n; ++element) {
    A[element] = small(1, element) / 2;
    B[element] = small(2, element) / 2;
    C[element] = small(3, element) / 2;
    D[element] = small(4, element) / 2;
  }
}

static void reset(void) {
  POISON(E, n * n);
  POISON(F, n * n);
  POISON(G, n * n);
}

static void reset_device(void) {
#pragma omp target update to(E[0 : n * n], F[0 : n * n], G[0 : n * n])
}

static void multiply(int n, float *left, float *right, float *product) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : left[0 : n * n], right[0 : n * n])                       \
    map(from : product[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      product[i * n + j] = 0;
      for (int k = 0; k < n; ++k)
        product[i * n + j] += left[i * n + k] * right[k * n + j];
    }
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : A[0 : n * n], B[0 : n * n], C[0 : n * n], D[0 : n * n]) map(alloc : E[0 : n * n], F[0 : n * n]) \
    map(from : G[0 : n * n])
  work();
}

static void kernels(void) {
  multiply(n, A, B, E);
  multiply(n, C, D, F);
  multiply(n, E, F, G);
}

// to += row `row` of `left` times `right`.
static void add_row(float *to, const float *left, int row, const float *right) {
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      to[j] += left[(size_t)row * n + k] * right[(size_t)k * n + j];
}

// Row by row ((A B) C) D: the same whole numbers, and no whole product is needed.
static void check(void) {
  float *row[3];
  for (int factor = 0; factor < 3; ++factor)
    row[factor] = allocate(sizeof(float) * n);
  CHECKED_ROWS(i, 0, n, row_step(n, 3.0 * n * n)) {
    for (int factor = 0; factor < 3; ++factor)
      memset(row[factor], 0, sizeof(float) * n);
    add_row(row[0], A, i, B);
    add_row(row[1], row[0], 0, C);
    add_row(row[2], row[1], 0, D);
    for (int j = 0; j < n; ++j)
      expect("G", i * n + j, G[i * n + j], row[2][j]);
  }
  for (int factor = 0; factor < 3; ++factor)
    free(row[factor]);
}

static void results(void) { RESULTS(G, n * n); }
