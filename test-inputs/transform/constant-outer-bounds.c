// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Outer loops with constant bounds: in clang's code the number of the last iteration is then a constant in several places, and no variable.
// What the source compares its own variables with are other constants, even where they are the same numbers.

#define REGION _Pragma("omp target teams distribute parallel for")

void rows(int m, float *A) {
  REGION
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < m; ++j)
      A[i * 64 + j] += 1;
}

void unsigned_rows(unsigned m, float *A) {
  REGION
  for (unsigned i = 3; i <= 24; i += 2)
    for (unsigned j = 0; j < m; ++j)
      A[i * 64 + j] += 1;
}

void long_rows_downward(long m, float *A) {
  REGION
  for (long i = 24; i > 0; --i)
    for (long j = 0; j < m; ++j)
      A[i * 64 + j] += 1;
}

void numbers_that_are_not_bounds(int m, float *A) {
  REGION
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < m; ++j)
      if (i > 23 || i < 24 && j != 23)
        A[i * 64 + j] += i == 23 ? 2 : 1;
}

void one_team(int m, float *A) {
#pragma omp target parallel for
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < m; ++j)
      A[i * 64 + j] += 1;
}

void all_constant(float *A) {
  REGION
  for (int i = 0; i < 24; ++i)
    for (int j = 0; j < 30; ++j)
      A[i * 30 + j] += 1;
}

// 65536 times 65536 has no number of 32 bits; the guard could never hold.
void product_too_large(float *A) {
  REGION
  for (int i = 0; i < 65536; ++i)
    for (int j = 0; j < 65536; ++j)
      if (i < 3 && j < 3)
        A[i * 30 + j] += 1;
}

// The inner loop carries a sum through memory.
void carried(int m, float *A) {
  REGION
  for (int i = 0; i < 24; ++i)
    for (int j = 1; j < m; ++j)
      A[i * 64 + j] += A[i * 64 + j - 1];
}

// CHECK: region 'rows'
// CHECK: transformation possible threads i j
// CHECK: region 'unsigned_rows'
// CHECK: transformation possible threads i j
// CHECK: region 'long_rows_downward'
// CHECK: transformation possible threads i j
// CHECK: region 'numbers_that_are_not_bounds'
// CHECK: transformation possible threads i j
// CHECK: region 'one_team'
// CHECK: transformation possible threads i j
// CHECK: region 'all_constant'
// CHECK: transformation possible threads i j
// CHECK: region 'product_too_large'
// CHECK: transformation left
// CHECK: region 'carried'
// CHECK-NOT: transformation possible
