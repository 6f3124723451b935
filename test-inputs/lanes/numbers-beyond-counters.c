// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised --mapping 'i j' %s | %FileCheck %s --check-prefix=JUDGE
//
// Rows of different lengths whose counters end where their types do: a number without an iteration would be beyond. Conditions are asked in a width in which nothing
// wraps around. They have to be by an order: of what is not equal, nothing more is known beyond the end.
//
// JUDGE: 8 kernels, 8 transformed; of these new code ran in 6
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
#include <limits.h>

#define EACH _Pragma("omp target teams distribute parallel for map(tofrom : a[0 : m * 64])") for (int i = 0; i < m; i++)

// CHECK-LABEL: region 'top'
// CHECK: transformation possible threads i j
void top(int m, int *a) {
  EACH for (int j = INT_MAX - 9 + i % 3; j < INT_MAX - 1; j += 2) a[i * 64 + (j - (INT_MAX - 9))] += j & 63;
}

// CHECK-LABEL: region 'top_of_long'
// CHECK: transformation possible threads i j
void top_of_long(int m, int *a) {
  EACH for (long j = LONG_MAX - 19 + i % 5; j <= LONG_MAX - 5; j += 4) a[i * 64 + (int)(j - (LONG_MAX - 19))] += j & 63;
}

// CHECK-LABEL: region 'bottom'
// CHECK: transformation possible threads i j
void bottom(int m, int *a) {
  EACH for (int j = INT_MIN + 40 - i % 7; j > INT_MIN + 6; j -= 6) a[i * 64 + (j - INT_MIN)] += j & 63;
}

// The end on the left, and wider than the counter.
// CHECK-LABEL: region 'mixed'
// CHECK: transformation possible threads i j
void mixed(int m, long n, int *a) {
  EACH for (int j = i & 3; n > j; j += 4) {
    if (j < 64)
      a[i * 64 + j] += j;
  }
}

// CHECK-LABEL: region 'down'
// CHECK: transformation possible threads i j
void down(int m, int n, int *a) {
  EACH for (int j = n - (i & 7); j >= 8; j -= 8) {
    if (j < 64)
      a[i * 64 + j] += j;
  }
}

// A counter without sign, which must not come to an end behind 0.
// CHECK-LABEL: region 'without_sign'
// CHECK: transformation possible threads i j
void without_sign(int m, unsigned n, int *a) {
  EACH for (unsigned j = i % 4; j < (n & 63); j += 4) a[i * 64 + j] += j;
}

// CHECK-LABEL: region 'not_equal'
// CHECK: transformation left
// CHECK-NEXT: because 'how often the inner loop runs depends on the iteration of the outer one'
void not_equal(int m, int *a) {
  EACH for (int j = (i % 2) * 2; j != 10; j += 2) a[i * 64 + j] += j;
}

// How far a step goes, only a launch knows.
// CHECK-LABEL: region 'steps'
// CHECK: transformation left
void steps(int m, int n, int by, int *a) {
  EACH for (int j = i % 3; j < (n & 63); j += by) a[i * 64 + j] += j;
}
