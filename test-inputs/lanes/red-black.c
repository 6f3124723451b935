// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised --mapping 2 %s | %FileCheck %s --check-prefix=OTHER
// RUN: %clang -O2 -g %nvptx %load -Rpass=ipda -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=REMARK
//
// Rows in which every second element is computed, that begin with the first or the second one by turns: how often the inner loop runs changes with the row by a
// remainder. There are numbers for the longest of them, and in each row the loop's own condition says which have an iteration. Of relax in doubles, in a row
// by itself: 32 sectors for each of 5 references but those of a row that share them; by neighbours in a row 16 bytes apart, 16 sectors each.
//
// JUDGE: 7 kernels, 7 transformed; of these new code ran in 7
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// OTHER: {{[1-9][0-9]*}} launches compared, 0 wrong
// No clause collapses such loops.
// REMARK: remark: collapsed the loops over i and j: {{.*}}as the kernel tests [Collapsed]
// REMARK-NOT: to write it yourself
#include <stdio.h>
#include <stdlib.h>

#define AT(i, j) ((i) * n + (j))

// CHECK-LABEL: region 'relax'
// CHECK: transformation possible threads i j sectors 176 to 83 of 1019 to 519690 threads
// CHECK: if 'floor(n / 2) >= 1'
static void relax(int n, int color, double *restrict u, const double *restrict f) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n]) map(to : f[0 : n * n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1 + (i + color) % 2; j < n - 1; j += 2)
      u[AT(i, j)] = 0.25 * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)] - f[AT(i, j)]);
}

// The remainder by other means.
// CHECK-LABEL: region 'scale'
// CHECK: transformation possible threads i j
static void scale(int n, int color, double *restrict u, const double *restrict f) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n]) map(to : f[0 : n * n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1 + ((i ^ color) & 1); j < n - 1; j += 2)
      u[AT(i, j)] += f[AT(i, j)] * 2;
}

// In three dimensions.
// CHECK-LABEL: region 'smooth'
// CHECK: transformation possible threads i, j k sectors 64 to 17
static void smooth(int n, int color, float *restrict u) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : u[0 : n * n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = (i + j + color) & 1; k < n; k += 2)
        u[(i * n + j) * n + k] *= 0.5f;
}

// What stands before a row is done once for each, also of one without an iteration.
// CHECK-LABEL: region 'with_borders'
// CHECK: transformation possible threads i j
static void with_borders(int n, int color, double *restrict u, double *restrict border) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n]) map(from : border[0 : n])
  for (int i = 0; i < n; i++) {
    border[i] = i;
    for (int j = (i + color) & 1; j < n; j += 2)
      u[AT(i, j)] += 1;
  }
}

// CHECK-LABEL: region 'sum'
// CHECK: transformation possible threads i j
static double sum(int n, const double *u) {
  double all = 0;
#pragma omp target teams distribute parallel for map(to : u[0 : n * n]) map(tofrom : all) reduction(+ : all)
  for (int i = 0; i < n; i++)
    for (int j = i % 3; j < n; j += 3)
      all += u[AT(i, j)];
  return all;
}

// A triangle of half the slope, and one from below.
// CHECK-LABEL: region 'halves'
// CHECK: transformation possible threads i j
static void halves(int n, double *restrict u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i / 2; j++)
      u[AT(i, j)] *= 2;
}

// CHECK-LABEL: region 'from_the_end'
// CHECK: transformation possible threads i j
static void from_the_end(long n, double *restrict u) {
#pragma omp target teams distribute parallel for map(tofrom : u[0 : n * n])
  for (long i = 0; i < n; i++)
    for (long j = n - 1 - i % 3; j >= 0; j -= 3)
      u[AT(i, j)] *= 2;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 40;
  double *u = calloc(n * n, sizeof *u), *f = calloc(n * n, sizeof *f);
  float *v = calloc(n * n * n, sizeof *v);
  for (int step = 0; step < 2; step++)
    for (int color = 0; color < 2; color++) {
      relax(n, color, u, f);
      scale(n, color, u, f);
      smooth(n, color, v);
      with_borders(n, color, u, f);
    }
  halves(n, u);
  from_the_end(n, u);
  printf("%g %g\n", sum(n, u), v[n]);
}
