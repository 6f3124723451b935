// REQUIRES: libomp-device-bc
// DEFINE: %{judge} = %ipda-oracle transform --optimised --schedules %s --mapping
// RUN: %{judge} 'j/8 i | j%%8' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'i/3 j/4 | j%%4 i%%3' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'i/rest%%gang0 j%%worker0 | i%%rest j/worker0' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'j%%gang0 i/4%%worker0 | i/4*worker0 i%%4 j/gang0' | %FileCheck %s --check-prefix=JUDGE
// RUN: %{judge} 'i/rest%%thread | i%%rest' | %FileCheck %s --check-prefix=JUDGE
// DEFINE: %{ask} = %compile-device %s | env IPDA_MAPPING
// RUN: %{ask}='i/8 j | i%%8' %analyse | %FileCheck %s --check-prefix=BLOCKS
// RUN: %{ask}='i%%gang0 j | i/gang0' %analyse | %FileCheck %s --check-prefix=TEAMS
//
// A thread runs through digits of iteration numbers by itself: blocks of neighbouring iterations, every so manieth, shares by the numbers of teams and
// threads. The sizes that the executor tries are 0 and 1, and no multiples of a block.
//
// ARGS: n: 21
// ARGS: m: 37
// ARGS: rows: 23
// ARGS: columns: 19

// In some, an order of the iterations matters, or one mapping has no code; what is made is right.
// JUDGE: 12 kernels, 12 transformed; of these new code ran in {{7|8|9|10|11}},
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong

#include <stddef.h>

#define HALO 2
#define CELL(field, y, x) (field)[(size_t)((y) + HALO) * ((m) + 2 * HALO) + (x) + HALO]

// As in codes with halos: the loops run beyond the field, and the counters are declared first.
// BLOCKS: region 'advance'
// BLOCKS: transformation possible threads i/8 j | i%8 sectors
// BLOCKS: if 'a and b do not overlap'
// TEAMS: region 'advance'
// TEAMS: transformation possible threads i%gang0 j | i/gang0
// TEAMS-NOT: sectors
// TEAMS: if 'iterations numbered by gang0 fit in 30 bits'
void advance(int n, int m, const double *a, double *b) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(to : a[0 : (n + 4) * (m + 4)]) \
    map(tofrom : b[0 : (n + 4) * (m + 4)])
  for (i = -1; i < n + 1; i++)
    for (j = -1; j <= m; j++)
      CELL(b, i, j) = CELL(a, i, j) + 0.25 * (CELL(a, i - 1, j) + CELL(a, i + 1, j) - 2.0 * CELL(a, i, j));
}

// The shared loop goes down, and so does the inner one, by two.
// BLOCKS: region 'backwards'
// BLOCKS: transformation possible threads i/8 j | i%8
void backwards(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = n - 1; i >= 0; --i)
    for (int j = m - 1; j >= 0; j -= 2)
      b[i * m + j] = 2 * a[i * m + j];
}

// Counters of 64 bits, without a sign.
// BLOCKS: region 'long_counters'
// BLOCKS: transformation possible threads i/8 j | i%8
// BLOCKS: if {{.*}} < 2^62
void long_counters(size_t n, size_t m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// Loops that a clause collapsed are digits of one number already.
// BLOCKS: region 'collapsed'
// BLOCKS: transformation possible threads i/8 j | i%8
void collapsed(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j] + 1;
}

// A row's weight is stored between the loops, by the thread that has the row's first iteration.
// BLOCKS: region 'weights'
// BLOCKS: transformation possible threads i/8 j | i%8
void weights(int n, int m, const float *a, float *b, float *w) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n * m], w[0 : n])
  for (int i = 0; i < n; ++i) {
    w[i] = 1.0f / (float)(i + 1);
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k <= j; ++k)
        sum += a[i * m + k];
      b[i * m + j] = sum;
    }
  }
}

// What an inner loop adds up stays in it, and other loops hold none: their own numbers have digits, too. Without j, nothing is done.
// BLOCKS: region 'rows_and_entries'
// BLOCKS: transformation left
// BLOCKS-NEXT: there is no loop "j"
void rows_and_entries(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < m; ++k)
      sum += a[i * m + k];
    b[i] = sum;
  }
#pragma omp target teams distribute parallel for map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i] = b[i] * 2 + 1;
}

// A thread's sums are added up once.
// BLOCKS: region 'norm'
// BLOCKS: transformation possible threads i/8 j | i%8
long norm(int n, int m, const int *a) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : a[0 : n * m]) map(tofrom : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      sum += a[i * m + j];
  return sum;
}

// Extents are constants, and a launch has one team.
// BLOCKS: region 'one_team'
// BLOCKS: transformation possible threads i/8 j | i%8
void one_team(const float a[19][23], float b[19][23]) {
#pragma omp target teams distribute parallel for num_teams(1) map(to : a[0 : 19][0 : 23]) map(tofrom : b[0 : 19][0 : 23])
  for (int i = 0; i < 19; ++i)
    for (int j = 0; j < 23; ++j)
      b[i][j] = a[i][j] * a[i][22 - j];
}

// How often the inner loop runs depends on the digits of the outer one: such loops are only split whole.
// BLOCKS: region 'triangle'
// BLOCKS: transformation left
void triangle(int n, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      b[i * n + j] = a[j * n + i];
}

// Somebody asks which iteration is the last one.
// BLOCKS: region 'last_row'
// BLOCKS: transformation left
// BLOCKS-NEXT: which iteration is the last one matters after the loop
int last_row(int n, int m, const float *a, float *b) {
  int i;
#pragma omp target teams distribute parallel for lastprivate(i) map(tofrom : i) map(to : a[0 : n * m]) map(tofrom : b[0 : n * m])
  for (i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[i * m + j] = a[i * m + j];
  return i;
}

// Each column needs the one before, and in blocks of the rows they stay in their order.
// BLOCKS: region 'sweep'
// BLOCKS: transformation left
void sweep(int n, int m, float *b) {
#pragma omp target teams distribute parallel for map(tofrom : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      b[i * m + j] += b[i * m + j - 1];
}
