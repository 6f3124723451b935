// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised --mapping 'products=j i' %s | %FileCheck %s --check-prefix=JUDGE
//
// Columns of a row-major matrix, from the diagonal down. A thread for each column: 32 sectors for the load and 32 for the store of a[j*n + i], as the rows j = i + k differ,
// and 8 for by[i], are 72. By numbers of rows below the diagonal, k, neighbours in i are in different rows, too. By rows j they are neighbours in one row: 8 or 9 sectors for
// each of the three, 27 at most, and fewer where the diagonal crosses a warp; threads of rows above it do nothing.
//
// JUDGE: 6 kernels, 6 transformed; of these new code ran in 6
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong

#include <stdio.h>
#include <stdlib.h>

#define AT(row, column) ((row) * n + (column))

struct matrix {
  int n;
  double *a;
};

// CHECK-LABEL: region 'scale'
// CHECK: transformation possible threads j i sectors 72 to 2{{[0-6].*}} of 1021 to 1042441 threads
static void scale(struct matrix *m, const double *restrict by) {
  int n = m->n;
  double *restrict a = m->a;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(to : by[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      a[AT(j, i)] = a[AT(j, i)] * 0.5 + by[i];
}

// Without the diagonal, in 64 bits, from the third column on, where by[i] begins inside of a sector.
// CHECK-LABEL: region 'below'
// CHECK: transformation possible threads j i sectors 73 to 2{{[0-6].*}} threads
static void below(long n, double *restrict a, const double *restrict by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(to : by[0 : n])
  for (long i = 2; i < n; ++i)
    for (long j = i + 1; j < n; ++j)
      a[AT(j, i)] = a[AT(j, i)] * 0.5 + by[i];
}

// Tiles load less for the sums. Whoever asks for threads along columns gets those of whole ones, too.
// CHECK-LABEL: region 'products'
// CHECK: transformation possible threads j i lanes 8x4
static void products(int n, int m, double *restrict a, const double *restrict from) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(to : from[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      for (int k = 0; k < m; ++k)
        a[AT(j, i)] += from[AT(k, i)] * from[AT(k, j)];
}

// Rows count from the diagonal on: they are what neighbours share.
// CHECK-LABEL: region 'rows'
// CHECK: transformation possible threads i j sectors 64 to 1{{[0-7].*}} threads
static void rows(int n, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j)
      a[AT(i, j)] += 1;
}

// What stands before the rows is done once for each column, also for the last one, which has none: by the thread of number 0, of which there would be none.
// CHECK-LABEL: region 'first_ones'
// CHECK: transformation possible threads i j
static void first_ones(int n, double *restrict a, double *restrict last) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(from : last[0 : n])
  for (int i = 0; i < n; ++i) {
    last[i] = i;
    for (int j = i + 1; j < n; ++j)
      a[AT(j, i)] = a[AT(j, i)] * 0.5 + 1;
  }
}

// The first iteration is no other one's number: two rows fewer with each column.
// CHECK-LABEL: region 'steep'
// CHECK: transformation possible threads
static void steep(int n, double *restrict a, const double *restrict by) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * n]) map(to : by[0 : n])
  for (int i = 0; i < n / 2; ++i)
    for (int j = 2 * i; j < n; ++j)
      a[AT(j, i)] = a[AT(j, i)] * 0.5 + by[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 40;
  struct matrix m = {n, calloc(n * n, sizeof(double))};
  double *by = calloc(n * n, sizeof(double));
  scale(&m, by);
  below(n, m.a, by);
  products(n, n, m.a, by);
  rows(n, m.a);
  first_ones(n, m.a, by);
  steep(n, m.a, by);
  printf("%g\n", m.a[n * n - 1]);
}
