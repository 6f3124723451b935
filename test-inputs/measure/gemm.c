// Matrix product C = 2 C + 3 A B of square matrices: row i of C per thread; by hand, an element per thread.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *A, *B, *C, *C0;

static void make(int size) {
  n = size;
  NUMBER_OF(A, n * n), NUMBER_OF(B, n * n), NUMBER_OF(C, n * n), NUMBER_OF(C0, n * n);
  FILL(A, n * n, 1);
  FILL(B, n * n, 2);
  FILL(C0, n * n, 3);
}

static void reset(void) { memcpy(C, C0, sizeof(float) * n * n); }

static void reset_device(void) {
#pragma omp target update to(C[0 : n * n])
}

static void gemm(int n, float alpha, float beta, float *A, float *B, float *C) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(to : A[0 : n * n], B[0 : n * n]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      C[i * n + j] *= beta;
      for (int k = 0; k < n; ++k)
        C[i * n + j] += alpha * A[i * n + k] * B[k * n + j];
    }
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : A[0 : n * n], B[0 : n * n]) map(tofrom : C[0 : n * n])
  work();
}

static void kernels(void) { gemm(n, 3, 2, A, B, C); }

static void check(void) {
  float *row = allocate(sizeof(float) * n);
  CHECKED_ROWS(i, 0, n, row_step(n, (double)n * n)) {
    for (int j = 0; j < n; ++j)
      row[j] = 2 * C0[i * n + j];
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        row[j] += 3 * A[i * n + k] * B[k * n + j];
    for (int j = 0; j < n; ++j)
      expect("C", i * n + j, C[i * n + j], row[j]);
  }
  free(row);
}

static void results(void) { RESULTS(C, n * n); }
