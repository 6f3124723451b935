// RUN: %compile-device %s -DSIZE=1100 | %analyse | %FileCheck %s
//
// y = ALPHA*A*x + BETA*B*x: a row of A and of B per thread, both sums in memory.
// Neighbouring threads are a row apart in A and B, 4 bytes in t and y, and read the same element of x.
#ifndef SIZE
#define SIZE 20
#endif

void gesummv(float *A, float *B, float *x, float *y, float *t) {
#pragma omp target teams distribute parallel for map(to : A[0 : SIZE * SIZE], B[0 : SIZE * SIZE], x[0 : SIZE], t[0 : SIZE]) map(tofrom : y[0 : SIZE])
  for (int i = 0; i < SIZE; ++i) {
    t[i] = 0;
    y[i] = 0;
    for (int j = 0; j < SIZE; ++j) {
      t[i] += A[i * SIZE + j] * x[j];
      y[i] += B[i * SIZE + j] * x[j];
    }
    y[i] = 43532.0f * t[i] + 12313.0f * y[i];
  }
}

// CHECK: load A 4 bytes
// CHECK: stride constant 4400 class uncoalesced
// CHECK: load B 4 bytes
// CHECK: stride constant 4400 class uncoalesced
