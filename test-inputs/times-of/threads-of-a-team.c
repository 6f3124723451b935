// Teams share the iterations of a loop, and the threads of each find their parts by their numbers, as blocks do in programs that were CUDA's. Of 65,536 rows
// each has 64 threads, which are two warps: 131,072 of a warp's iterations. A lane's neighbour has the next of 1024 floats of the row, and each thread 16 of
// them, 64 apart: 4 sectors, 16 times. Both arrays have 65,536 * 1024 * 4 = 268.44 MB. They take 178 us at 3 TB a second (h100-sxm), more than warps wait.
//
// In `in_columns` neighbours are 16 floats apart, two sectors: 32 of them. In `of_some` 32 of the 128 threads that clang 19 launches are at work.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D rows=65536 -D num_teams=65536 --details | %FileCheck %s
#include <omp.h>
#define THREADS 64
#define EACH 16

// CHECK: in_rows
// CHECK: device {{.*}} teams of 64 threads
// CHECK: kernel {{1[89][0-9]|2[0-3][0-9]}}{{[.0-9]*}} us {{.*}} memory bandwidth
// CHECK: warp iterations 131072
// CHECK: x load 4 16 268.44 MB
// CHECK: y store 4 16 268.44 MB
// CHECK: assumed {{.*}}the threads of a team share no loop: each that a clause asks for is as an iteration of one
void in_rows(int rows, float a, const float *x, float *y) {
#pragma omp target teams distribute num_teams(rows) thread_limit(THREADS) map(to : x[0 : rows * THREADS * EACH])                \
    map(from : y[0 : rows * THREADS * EACH])
  for (int row = 0; row < rows; ++row) {
#pragma omp parallel num_threads(THREADS)
    {
      int thread = omp_get_thread_num();
      for (int k = 0; k < EACH; ++k)
        y[(row * EACH + k) * THREADS + thread] = a * x[(row * EACH + k) * THREADS + thread];
    }
  }
}

// CHECK: in_columns
// CHECK: warp iterations 131072
// CHECK: x load 32 16 268.44 MB
// CHECK: y store 32 16 268.44 MB
void in_columns(int rows, float a, const float *x, float *y) {
#pragma omp target teams distribute num_teams(rows) thread_limit(THREADS) map(to : x[0 : rows * THREADS * EACH])                \
    map(from : y[0 : rows * THREADS * EACH])
  for (int row = 0; row < rows; ++row) {
#pragma omp parallel num_threads(THREADS)
    {
      int thread = omp_get_thread_num();
      for (int k = 0; k < EACH; ++k)
        y[(row * THREADS + thread) * EACH + k] = a * x[(row * THREADS + thread) * EACH + k];
    }
  }
}

// CHECK: of_some
// CHECK: device {{.*}} teams of 128 threads
// CHECK: warp iterations 65536
// CHECK: y store 4 1 8.3886 MB
void of_some(int rows, float a, float *y) {
#pragma omp target teams distribute num_teams(rows) map(tofrom : y[0 : rows * 32])
  for (int row = 0; row < rows; ++row) {
#pragma omp parallel num_threads(32)
    y[row * 32 + omp_get_thread_num()] = a;
  }
}
