// What the nests are worth on the host: `scripts/bench host-nests` runs this with and without them. With fewer elements it is a test.
// RUN: %clang -O3 -fopenmp %s -o %t.without -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: env IPDA_TRANSFORM=on %clang -O3 -fopenmp %s -o %t.with %load -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: env OMP_NUM_THREADS=3 %t.without 3000 > %t.sums && env OMP_NUM_THREADS=3 %t.with 3000 | diff - %t.sums

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define KERNEL(name) static __attribute__((noinline)) void name(int n, int m, float *restrict a, const float *restrict b)
#define ROWS _Pragma("omp target teams distribute parallel for collapse(2)")
#define PLANES _Pragma("omp target teams distribute parallel for collapse(3)")

// Whole rows: the number of the iteration is the place.
KERNEL(copy) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = 2.0f * b[i * m + j];
}
KERNEL(copy_of_arrays) {
  float(*to)[m] = (float(*)[m])a;
  const float(*from)[m] = (const float(*)[m])b;
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      to[i][j] = 2.0f * from[i][j];
}
KERNEL(add_vector) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = b[i * m + j] + b[j];
}
KERNEL(stencil) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 1; j < m - 1; ++j)
      a[i * m + j] = b[i * m + j] + b[i * m + j - 1] + b[i * m + j + 1] + b[(i + 1) * m + j] + b[(i + 2) * m + j];
}
KERNEL(convolution) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 1; j < m - 1; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < 3; ++k)
        for (int l = -1; l <= 1; ++l)
          sum += (float)(2 * k + l) * b[(i + k) * m + j + l];
      a[i * m + j] = sum;
    }
}
KERNEL(stencil_of_planes) {
  PLANES for (int i = 0; i < n / 16; ++i)
    for (int j = 0; j < 15; ++j)
      for (int k = 1; k < m - 1; ++k)
        a[(i * 16 + j) * m + k] = b[(i * 16 + j) * m + k - 1] + b[(i * 16 + j + 1) * m + k + 1];
}
KERNEL(transpose) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = b[j * n + i];
}
KERNEL(columns) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j * n + i] = 2.0f * b[j * n + i];
}
KERNEL(rows_of_100) {
  ROWS for (int i = 0; i < n * m / 100; ++i)
    for (int j = 0; j < 100; ++j)
      a[i * 100 + j] = b[i * 100 + j] + b[j];
}
KERNEL(rows_of_4) {
  ROWS for (int i = 0; i < n * m / 4; ++i)
    for (int j = 0; j < 4; ++j)
      a[i * 4 + j] = b[i * 4 + j] + b[j];
}
// Products of matrices with long and with short inner loops.
KERNEL(gemm_of_64) {
  ROWS for (int i = 0; i < n / 8; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < 64; ++k)
        sum += b[i * 64 + k] * b[k * m + j];
      a[i * m + j] = sum;
    }
}
KERNEL(gemm_of_8) {
  ROWS for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < 8; ++k)
        sum += b[i * 8 + k] * b[k * m + j];
      a[i * m + j] = sum;
    }
}

static const struct {
  const char *name;
  void (*run)(int, int, float *restrict, const float *restrict);
} kernels[] = {
#define ENTRY(name) {#name, name}
    ENTRY(copy),      ENTRY(copy_of_arrays), ENTRY(add_vector),  ENTRY(stencil),   ENTRY(convolution), ENTRY(stencil_of_planes),
    ENTRY(transpose), ENTRY(columns),        ENTRY(rows_of_100), ENTRY(rows_of_4), ENTRY(gemm_of_64),        ENTRY(gemm_of_8),
};

// speed ELEMENTS [RUNS]: sums, or the least time of some runs in milliseconds.
int main(int argc, char **argv) {
  const int lengths[] = {5, 30, 1000};
  int elements = argc > 1 ? atoi(argv[1]) : 1000, runs = argc > 2 ? atoi(argv[2]) : 0;
  float *a = calloc(2 * elements + 100000, sizeof(float)), *b = calloc(2 * elements + 100000, sizeof(float));
  for (int at = 0; at < 2 * elements + 100000; ++at)
    b[at] = (float)(at % 13);
  for (unsigned kernel = 0; kernel < sizeof kernels / sizeof *kernels; ++kernel)
    for (int length = 0; length < 3; ++length) {
      int m = lengths[length], n = elements / m;
      double least = 1e9, sum = 0.0;
      for (int run = 0; run <= runs; ++run) {
        double begin = omp_get_wtime();
        kernels[kernel].run(n, m, a, b);
        double time = 1e3 * (omp_get_wtime() - begin);
        least = time < least ? time : least;
      }
      for (int at = 0; at < elements; ++at)
        sum += a[at] * (at % 7);
      if (runs)
        printf("%s %d %.3f\n", kernels[kernel].name, m, least);
      else
        printf("%s %d %.0f\n", kernels[kernel].name, m, sum);
    }
  return 0;
}
