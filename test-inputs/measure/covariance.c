// Covariance of n variables, each observed n times, in three loops: the means (coalesced as they stand), the centring (an observation per thread; by
// hand, an element), the products (a variable per thread, and all lanes of a warp as far from the diagonal: coalesced in what they read).
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *data, *data0, *mean, *covariance;

// Observations 2t and 2t + 1 of a variable lie as far above as below a whole number, its mean.
static void make(int size) {
  n = size;
  NUMBER_OF(data, n * n), NUMBER_OF(data0, n * n), NUMBER_OF(mean, n), NUMBER_OF(covariance, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int away = i % 2 == 0 && i + 1 == n ? 0 : small(1, (size_t)(i / 2) * n + j);
      data0[i * n + j] = small(2, j) + (i % 2 ? away : -away);
    }
}

static void reset(void) {
  memcpy(data, data0, sizeof(float) * n * n);
  POISON(mean, n);
  POISON(covariance, n * n);
}

static void reset_device(void) {
#pragma omp target update to(data[0 : n * n], mean[0 : n], covariance[0 : n * n])
}

static void means(int n, float *data, float *mean) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * n]) map(from : mean[0 : n])
  for (int j = 0; j < n; ++j) {
    mean[j] = 0;
    for (int i = 0; i < n; ++i)
      mean[j] += data[i * n + j];
    mean[j] /= n;
  }
}

static void centre(int n, float *data, float *mean) {
#pragma omp target teams distribute parallel for COLLAPSE(2) map(tofrom : data[0 : n * n]) map(to : mean[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      data[i * n + j] -= mean[j];
}

static void products(int n, float *data, float *covariance) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * n]) map(from : covariance[0 : n * n])
  for (int a = 0; a < n; ++a)
    for (int b = a; b < n; ++b) {
      covariance[a * n + b] = 0;
      for (int i = 0; i < n; ++i)
        covariance[a * n + b] += data[i * n + a] * data[i * n + b];
      covariance[a * n + b] /= n - 1;
      covariance[b * n + a] = covariance[a * n + b];
    }
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : data[0 : n * n]) map(alloc : mean[0 : n]) map(from : covariance[0 : n * n])
  work();
}

static void kernels(void) {
  means(n, data, mean);
  centre(n, data, mean);
  products(n, data, covariance);
}

static void check(void) {
  float *row = allocate(sizeof(float) * n);
  CHECKED_ROWS(a, 0, n, row_step(n, (double)n * n)) {
    memset(row, 0, sizeof(float) * n);
    for (int i = 0; i < n; ++i)
      for (int b = 0; b < n; ++b)
        row[b] += (data0[i * n + a] - small(2, a)) * (data0[i * n + b] - small(2, b));
    for (int b = 0; b < n; ++b)
      expect("covariance", a * n + b, covariance[a * n + b], row[b] / (n - 1));
  }
  free(row);
}

static void results(void) { RESULTS(covariance, n * n); }
