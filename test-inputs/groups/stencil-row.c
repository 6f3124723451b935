// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %device | %FileCheck %s --check-prefix=FAR
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// A point and its neighbours: a warp reads 34 floats, three times 32. In 'columns' a thread has a row, and neighbouring threads find each other's
// rows. Of points 4096 apart, no warp finds anything; nor is one stride like another.

#include <stdio.h>

#define LENGTH 8192
#define ROWS 64
#define WIDTH 100

// ARGS: n: 1000

static void smooth(int n, const float *a, float *b) {
  int i;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (i = 1; i < n - 1; i++)
    b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
}

static void columns(const float a[ROWS][WIDTH], float b[ROWS][WIDTH]) {
  int i, j;
#pragma omp target teams distribute parallel for map(to : a[0 : ROWS]) map(tofrom : b[0 : ROWS])
  for (i = 1; i < ROWS - 1; i++)
    for (j = 0; j < WIDTH; j++)
      b[i][j] = a[i - 1][j] + a[i][j] + a[i + 1][j];
}

static void far_apart(int n, const float *a, float *b) {
  int i;
#pragma omp target teams distribute parallel for map(to : a[0 : n + 4096]) map(from : b[0 : n])
  for (i = 0; i < n; i++)
    b[i] = a[i] + a[i + 4096];
}

static void two_strides(int n, const float *a, float *b) {
  int i;
#pragma omp target teams distribute parallel for map(to : a[0 : 2 * n]) map(from : b[0 : n])
  for (i = 0; i < n; i++)
    b[i] = a[i] + a[2 * i];
}

int main(void) {
  static float a[LENGTH], b[LENGTH], c[ROWS][WIDTH], d[ROWS][WIDTH];
  int i;
  for (i = 0; i < LENGTH; i++)
    a[i] = (float)i;
#pragma omp target data map(to : a, c) map(tofrom : b, d)
  {
    smooth(1000, a, b);
    columns(c, d);
    far_apart(1000, a, b);
    two_strides(1000, a, b);
  }
  printf("%g %g\n", b[3], d[1][1]);
  return 0;
}

// CHECK: region 'smooth'
// CHECK: group0 of acc0 acc1 acc2 sectors 5..6 lines 2..3 least 5
// CHECK: total sectors 10 without-count 0
// CHECK: region 'columns'
// CHECK: stride constant 400 class uncoalesced sectors 32..32
// CHECK: group0 of acc0 acc1 acc2 sectors 34..34
// CHECK: region 'far_apart'
// CHECK: stride constant 4 class coalesced sectors 4..5
// CHECK: region 'two_strides'
// CHECK: total sectors
// FAR: region 'far_apart'
// FAR-NOT: {{group[0-9]}}
// FAR: total sectors 12 without-count 0
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
