// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// Particles of three doubles. Who reads all members uses all bytes of the sectors; who reads two of them does not; who writes one in between
// reads the others as before, since the bytes are others; who writes through another pointer may write them, but not where the type or
// 'restrict' speaks against it. Stores are in no group: each takes its sectors to the L2.

#include <stdio.h>

#define COUNT 1000

typedef struct {
  double x, y, z;
} particle;

// ARGS: n: 1000

static void norms(int n, const particle *p, double *norm) {
  int i;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) map(from : norm[0 : n])
  for (i = 0; i < n; ++i)
    norm[i] = p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z;
}

static void heights(int n, const particle *p, double *height) {
  int i;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) map(from : height[0 : n])
  for (i = 0; i < n; ++i)
    height[i] = p[i].z - p[i].x;
}

static void advance(int n, particle *p) {
  int i;
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n])
  for (i = 0; i < n; ++i) {
    p[i].x += 0.5;
    p[i].y += 0.5;
    p[i].z += 0.5;
  }
}

static void split(int n, const particle *p, double *x, double *y, double *z) {
  int i;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) map(from : x[0 : n], y[0 : n], z[0 : n])
  for (i = 0; i < n; ++i) {
    x[i] = p[i].x;
    y[i] = p[i].y;
    z[i] = p[i].z;
  }
}

static void round_off(int n, const particle *p, float *x, float *y, float *z) {
  int i;
#pragma omp target teams distribute parallel for map(to : p[0 : n]) map(from : x[0 : n], y[0 : n], z[0 : n])
  for (i = 0; i < n; ++i) {
    x[i] = (float)p[i].x;
    y[i] = (float)p[i].y;
    z[i] = (float)p[i].z;
  }
}

int main(void) {
  static particle p[COUNT];
  static double a[COUNT], b[COUNT], c[COUNT];
  static float f[COUNT], g[COUNT], h[COUNT];
  int i;
  for (i = 0; i < COUNT; ++i)
    p[i].x = p[i].y = p[i].z = i;
#pragma omp target data map(tofrom : p)
  {
    advance(COUNT, p);
    norms(COUNT, p, a);
    heights(COUNT, p, b);
    split(COUNT, p, a, b, c);
    round_off(COUNT, p, f, g, h);
  }
  printf("%g %g %g\n", a[3], c[4], h[5]);
  return 0;
}

// CHECK: region 'norms'
// CHECK: stride constant 24 class coalesced, alone strided sectors 24..25 lines 6..7
// CHECK: group0 of acc0 acc1 acc2 sectors 24..25 lines 6..7 least 24
// CHECK: total sectors 32 without-count 0
// CHECK: region 'heights'
// CHECK: stride constant 24 class strided sectors 24..25 lines 6..7
// CHECK: group0 of acc0 acc1 sectors 24..25 lines 6..7 least 16
// CHECK: region 'advance'
// CHECK: group0 of acc0 acc2 acc4 sectors 24..25 lines 6..7 least 24
// CHECK: acc1 store p
// CHECK: stride constant 24 class strided sectors 24..25 lines 6..7
// CHECK: total sectors 96 without-count 0
// CHECK: region 'split'
// CHECK-NOT: {{group[0-9]}}
// CHECK: total sectors 96 without-count 0
// CHECK: region 'round_off'
// CHECK: group0 of acc0 acc2 acc4 sectors 24..25
// CHECK: total sectors 36 without-count 0
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
