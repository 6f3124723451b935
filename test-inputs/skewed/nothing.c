// REQUIRES: libomp-device-bc
// RUN: env IPDA_REPORT=%t.yaml %clang-device -g %s -o %t.s
// RUN: %FileCheck %s < %t.yaml
//
// Nests in which no sum of iteration numbers stays apart, or in which a loop is independent as it is, and nests that are not looked at: the report says
// nothing of skewed loops.
//
// CHECK: function: relax
// CHECK-NOT: skewed:
// CHECK: id: loop1
// CHECK: kind: store
// CHECK-NOT: skewed:
// CHECK: function: columns
// CHECK-NOT: skewed:
// CHECK: function: both_ways
// CHECK-NOT: skewed:
// CHECK: function: triangle
// CHECK-NOT: skewed:
// CHECK: function: scattered
// CHECK-NOT: skewed:
// CHECK: function: left_early
// CHECK-NOT: skewed:
// CHECK: function: shared
// CHECK-NOT: skewed:

// Gauss and Seidel: each p needs the one before, (1, 0) and (0, 1).
void relax(int n, int m, double *restrict u) {
#pragma omp target map(tofrom : u[0 : n * m])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      u[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

// Columns are independent.
void columns(int n, int m, float *restrict u) {
#pragma omp target map(tofrom : u[0 : n * m])
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++)
      u[i * m + j] += u[(i - 1) * m + j];
}

// Along i + j and along i - j.
void both_ways(int n, int m, float *restrict u) {
#pragma omp target map(tofrom : u[0 : n * m])
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m - 1; j++)
      u[i * m + j] += u[(i - 1) * m + j + 1] - u[(i - 1) * m + j - 1];
}

// Rows are of different lengths, which is not looked at.
void triangle(int n, const int *restrict a, int *restrict c) {
#pragma omp target map(to : a[0 : n]) map(tofrom : c[0 : 2 * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      c[i + j] += a[i] * a[j];
}

// Where elements go is known to the data alone.
void scattered(int n, const int *restrict to, float *restrict c) {
#pragma omp target map(to : to[0 : 2 * n]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[to[i + j]] += 1;
}

// A later p may not be reached.
void left_early(int n, const float *restrict a, float *restrict c) {
#pragma omp target map(to : a[0 : n]) map(tofrom : c[0 : 2 * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (a[j] < 0) break;
      c[i + j] += a[i] * a[j];
    }
}

// A loop that is parallel by the program's word is not skewed, even where it should not have been shared.
void shared(int n, const float *restrict a, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : c[0 : 2 * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[i + j] += a[i] * a[j];
}
