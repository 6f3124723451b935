// Symmetric rank-n update C = 2 C + 3 A transposed A in two loops, the whole square: a row per thread; by hand, an element per thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *A, *C, *C0;

static void make(int size) {
  n = size;
  NUMBER_OF(A, n * n), NUMBER_OF(C, n * n), NUMBER_OF(C0, n * n);
  FILL(A, n * n, 1);
  FILL(C0, n * n, 2);
}

static void reset(void) { memcpy(C, C0, sizeof(float) * n * n); }

static void reset_device(void) {
#pragma omp target update to(C[0 : n * n])
}

static void syrk(int n, float alpha, float beta, float *A, float *C) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      C[i * n + j] *= beta;
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : A[0 : n * n]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        C[i * n + j] += alpha * A[i * n + k] * A[j * n + k];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : A[0 : n * n]) map(tofrom : C[0 : n * n])
  work();
}

static void kernels(void) { syrk(n, 3, 2, A, C); }

static void check(void) {
  CHECKED_ROWS(i, 0, n, row_step(n, (double)n * n))
    for (int j = 0; j < n; ++j) {
      double sum = 2 * C0[i * n + j];
      for (int k = 0; k < n; ++k)
        sum += 3 * A[i * n + k] * A[j * n + k];
      expect("C", i * n + j, C[i * n + j], sum);
    }
}

static void results(void) { RESULTS(C, n * n); }
