// REQUIRES: libomp-device-bc
// DEFINE: %{judge} = %ipda-oracle transform --optimised --schedules %s --mapping
// RUN: %{judge} 'i/4%%2 j/8%%3 i%%4 j%%8 | j/24 i/8' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'i/8 | j i%%8' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'j%%worker0 | i j/worker0' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'i k/4 | k%%4 j/2 j%%2' | %FileCheck %s --check-prefix=INSIDE
// DEFINE: %{ask} = %compile-device %s | env IPDA_MAPPING
// RUN: %{ask}='i/16%%4 j/16%%4 i%%16 j%%16 | i/64 j/64' %analyse | %FileCheck %s --check-prefix=AXES
// RUN: %{ask}='i/8 | j i%%8' %analyse | %FileCheck %s --check-prefix=OUTSIDE
// RUN: %{ask}='i%%65536 j%%65536 | i/65536 j/65536' %analyse | %FileCheck %s --check-prefix=MANY
//
// Two axes of teams and threads, as numbers of which the digits are folded into a thread's one number, and loops inside of a thread in another order: whole ones
// around digits, and around each other. Some loops count in more bits than a thread's number has.
//
// ARGS: n: 19
// ARGS: m: 23
// ARGS: l: 11

// JUDGE: 9 kernels, {{[7-9]}} transformed; of these new code ran in {{[78]}},
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// INSIDE: 9 kernels, {{[2-9]}} transformed; of these new code ran in {{[2-9]}},
// INSIDE: {{[1-9][0-9]*}} launches compared, 0 wrong

#include <stddef.h>

#define ROWS 2
#define AT(field, y, x) (field)[((y) + ROWS) * (m + 2 * ROWS) + (x) + ROWS]

// As in codes with halos.
// AXES: region 'smooth'
// AXES: transformation possible threads i/16%4 j/16%4 i%16 j%16 | i/64 j/64 sectors
// AXES: if 'a and b do not overlap'
// OUTSIDE: region 'smooth'
// OUTSIDE: transformation possible threads i/8 | j i%8 sectors
// MANY: region 'smooth'
// MANY: transformation left
// MANY-NEXT: because 'all iterations together are too many to be numbered with 32 bits'
void smooth(int n, int m, const double *a, double *b) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : a[0 : (n + 4) * (m + 4)]) map(tofrom : b[0 : (n + 4) * (m + 4)])
  for (i = -1; i <= n; i++)
    for (j = -1; j <= m; j++)
      AT(b, i, j) = 0.25 * (AT(a, i - 1, j) + AT(a, i + 1, j) + AT(a, i, j - 1) + AT(a, i, j + 1));
}

// The inner loop counts in 64 bits, a thread's number has 32: the guard tests that all of it fits.
// AXES: region 'wide'
// AXES: transformation possible threads i/16%4 j/16%4 i%16 j%16 | i/64 j/64
// OUTSIDE: region 'wide'
// OUTSIDE: transformation possible threads i/8 | j i%8
// OUTSIDE: if 'm < 2^31 - 2^20'
void wide(int n, size_t m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// Both go down, the inner one by three, with a team that is no multiple of a warp.
// AXES: region 'downwards'
// AXES: transformation possible threads i/16%4 j/16%4 i%16 j%16 | i/64 j/64
void downwards(long n, long m, const float *a, float *b) {
#pragma omp target teams distribute parallel for thread_limit(48) map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (long i = n - 1; i >= 0; --i)
    for (long j = m - 1; j >= 0; j -= 3)
      b[i * m + j] = 2 * a[i * m + j] + 1;
}

// Digits of one number, by a clause.
// AXES: region 'clause'
// AXES: transformation possible threads i/16%4 j/16%4 i%16 j%16 | i/64 j/64
void clause(int n, int m, int l, const int *a, const int *b, int *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * l], b[0 : l * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int sum = c[i * m + j];
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Three loops, with a statement between them that the thread of a row's first iteration runs.
void planes(int n, int m, int l, const float *a, float *b, float *w) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m * l]) map(tofrom : b[0 : n * m * l], w[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      w[i * m + j] = a[i * m + j] + j;
      for (int k = 0; k < l; ++k)
        b[(i * m + j) * l + k] = 2 * a[(i * m + j) * l + k] + k;
    }
}

// One team.
// AXES: region 'one_team'
// AXES: transformation possible threads i/16%4 j/16%4 i%16 j%16 | i/64 j/64
void one_team(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for num_teams(1) map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = a[i * m + (m - 1 - j)];
}

// Sums of all threads.
long norm(int n, int m, const int *a) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[0 : n * m]) map(tofrom : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j];
  return sum;
}

// Rows need the ones before: where j is around i, an iteration comes before what it needs.
// OUTSIDE: region 'skewed'
// OUTSIDE: transformation left
// OUTSIDE-NEXT: because '{{.*}}dependence of b
void skewed(int n, int m, int l, float *b) {
#pragma omp target teams distribute parallel for map(tofrom : b[0 : n * (m + 1) * (l + 1)])
  for (int k = 0; k < l; ++k)
    for (int i = 1; i < n; ++i)
      for (int j = 0; j < m - 1; ++j)
        b[(k * n + i) * m + j] += b[(k * n + i - 1) * m + j + 1];
}

// How often one loop inside runs depends on another, around which it would be.
// It stays as it is.
void triangle(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m * m]) map(tofrom : b[0 : n * m * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k <= j; ++k)
        b[(i * m + j) * m + k] = a[(i * m + k) * m + j];
}
