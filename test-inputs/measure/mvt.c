// x1 = x1 + A y1 and x2 = x2 + transposed A y2, a sum per thread. The first walks along rows, apart from its neighbours, and its inner loop is
// a sum, which no collapse clause distributes: by hand, a team works on each row. The second is coalesced as it stands.
//
// ARGS: n: 20
#include "measure.h"

static int n;
static float *A, *x1, *x2, *y1, *y2;

static void make(int size) {
  n = size;
  NUMBER_OF(A, n * n), NUMBER_OF(x1, n), NUMBER_OF(x2, n), NUMBER_OF(y1, n), NUMBER_OF(y2, n);
  FILL(A, n * n, 1);
  FILL(y1, n, 2);
  FILL(y2, n, 3);
}

static void reset(void) {
  FILL(x1, n, 4);
  FILL(x2, n, 5);
}

static void reset_device(void) {
#pragma omp target update to(x1[0 : n], x2[0 : n])
}

static void rows(int n, float *A, float *x1, float *y1) {
#ifdef BY_HAND
#pragma omp target teams distribute map(to : A[0 : n * n], y1[0 : n]) map(tofrom : x1[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < n; ++j)
      sum += A[i * n + j] * y1[j];
    x1[i] += sum;
  }
#else
#pragma omp target teams distribute parallel for map(to : A[0 : n * n], y1[0 : n]) map(tofrom : x1[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x1[i] += A[i * n + j] * y1[j];
#endif
}

static void columns(int n, float *A, float *x2, float *y2) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * n], y2[0 : n]) map(tofrom : x2[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x2[i] += A[j * n + i] * y2[j];
}

static void with_data(void (*work)(void)) {
#pragma omp target data map(to : A[0 : n * n], y1[0 : n], y2[0 : n]) map(tofrom : x1[0 : n], x2[0 : n])
  work();
}

static void kernels(void) {
  rows(n, A, x1, y1);
  columns(n, A, x2, y2);
}

static void check(void) {
  for (int i = 0; i < n; ++i) {
    float sum = small(4, i);
    for (int j = 0; j < n; ++j)
      sum += A[i * n + j] * y1[j];
    expect("x1", i, x1[i], sum);
  }
  float *sums = allocate(sizeof(float) * n);
  FILL(sums, n, 5);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      sums[i] += A[j * n + i] * y2[j];
  for (int i = 0; i < n; ++i)
    expect("x2", i, x2[i], sums[i]);
  free(sums);
}

static void results(void) {
  RESULTS(x1, n);
  RESULTS(x2, n);
}
