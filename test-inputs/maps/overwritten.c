// RUN: %copied -g | %FileCheck --implicit-check-not='remark: none' %s
// Arrays that a kernel overwrites entirely, and does not read before, are not brought to the device. Beside each there is one that is like it but for one
// thing, with a name that begins with `none`, or whose launch has a section that is larger than what is written; had it not been brought, the sum would be
// another one.
#include "copied.inc"
#include <stdlib.h>
enum { N = 1000, ROWS = 40, COLUMNS = 50 };
struct pair {
  double first, second;
};

static void fill(double *y, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here, and not copied to the device where that is all of it: 8*{{\[n\]}} bytes less; to write it yourself, map(from:) in place of map(tofrom:) for y
  for (int i = 0; i < m; ++i)
    y[i] = i;
}

static void backwards(double *y, int n, int m) {
#pragma omp target map(tofrom : y[m : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  for (int i = n; i > 0; --i)
    y[m + i - 1] = 2 * i;
}

static void every_other(double *y, int n, int step) {
#pragma omp target map(tofrom : y[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  for (int i = 0; i < n / 2; ++i)
    y[i * step] = i;
}

// Of padding and other members, nothing is written.
static void member(struct pair *y, int n) {
#pragma omp target map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i].second = i;
}

// Nor of the last one of sixteen, in whatever row.
struct cell {
  double of[16];
};
static void all_but_the_last(struct cell *none, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : none[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < 15; ++k)
        none[i * m + j].of[k] = i + j + k;
}
static void all_sixteen(struct cell *y, int n) {
#pragma omp target map(tofrom : y[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 16; ++k)
      y[i].of[k] = i + k;
}

static void rows(double *y, double *none, int n, int m, int columns) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n * m], none[0 : n * m])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j) {
      y[i * m + j] = 0;
      for (int k = 0; k < m; ++k)
        y[i * m + j] += k;
      none[i * m + j] += 1;
    }
}

static void sometimes(double *none, double *none_of_them, int n, int which) {
#pragma omp target map(tofrom : none[0 : n], none_of_them[0 : n])
  for (int i = 0; i < n; ++i) {
    if (i % 7)
      none[i] = 1;
    if (none_of_them[i] == 3)
      break;
    none_of_them[i] = which;
  }
}

static void where_asked(double *y, int n, int is_asked) {
#pragma omp target map(tofrom : y[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  if (is_asked)
    for (int i = 0; i < n; ++i)
      y[i] = 5;
}

static void triangle(double *none, int n) {
#pragma omp target map(tofrom : none[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      none[i * n + j] = 7;
}

static void neighbours(double *none, int n) {
#pragma omp target map(tofrom : none[0 : n])
  for (int i = 0; i < n; ++i) {
    none[i] = i;
    none[i] += i + 1 < n ? none[i + 1] : 0;
  }
}

static void read_elsewhere(double *none, double *x, int n) {
#pragma omp target map(tofrom : none[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is overwritten here
  {
    double last = none[n - 1];
    for (int i = 0; i < n; ++i) {
      none[i] = last;
      x[i] = last;
    }
  }
}

// The same array may be in another section, or in none.
static void copy(double *y, double *x, int n) {
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(1) map(tofrom : y[0 : n]) map(to : x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: y is overwritten here
  for (int i = 0; i < n; ++i)
    y[i] = x[i] + 1;
}

// Others may read it while the kernel waits for them.
static void waits(double *none, int *flag, int n) {
#pragma omp target map(tofrom : none[0 : n], flag[0 : 1])
  {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read
      seen = flag[0];
    }
    for (int i = 0; i < n; ++i)
      none[i] = seen;
  }
}

static double table[ROWS][COLUMNS];
static void clear(void) {
#pragma omp target teams distribute parallel for
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: table is overwritten here, and not copied to the device where that is all of it: 16000 bytes less; to write it yourself, a clause map(from:) for table
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j)
      table[i][j] = i - j;
}

static double sum(double *y, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) {
    all = all / 3 + y[i];
    y[i] = i % 13;
  }
  return all;
}

int main(void) {
  double *y = malloc(2 * N * sizeof *y), *x = malloc(2 * N * sizeof *y);
  double all = sum(y, 2 * N) * 0 + sum(x, 2 * N) * 0;
  fill(y, N, N), all += sum(y, N);
  copied("all of it");
  fill(y, N, N - 1), all += sum(y, N);
  copied("all but one");
  fill(y, N, 0), all += sum(y, N);
  copied("none of it");
  backwards(y, N, 3), all += sum(y, 2 * N);
  copied("backwards");
  every_other(y, N, 2), all += sum(y, N);
  copied("every other");
  member((struct pair *)y, N), all += sum(y, 2 * N);
  copied("a member");
  all_but_the_last((struct cell *)y, 10, 10), all += sum(y, 2 * N);
  copied("fifteen");
  all_sixteen((struct cell *)y, 100), all += sum(y, 2 * N);
  copied("sixteen");
  rows(y, x, ROWS, COLUMNS, COLUMNS), all += sum(y, 2 * N) + sum(x, 2 * N);
  copied("rows");
  rows(y, x, ROWS, COLUMNS, COLUMNS - 1), all += sum(y, 2 * N) + sum(x, 2 * N);
  copied("parts of rows");
  sometimes(y, x, N, 2), all += sum(y, N) + sum(x, N);
  copied("sometimes");
  where_asked(y, N, 1), all += sum(y, N);
  copied("asked");
  where_asked(y, N, 0), all += sum(y, N);
  copied("not asked");
  triangle(y, 40), all += sum(y, 1600);
  copied("triangle");
  neighbours(y, N), all += sum(y, N);
  copied("neighbours");
  read_elsewhere(y, x, N), all += sum(y, N) + sum(x, N);
  copied("read elsewhere");
  copy(y, x, N), all += sum(y, N);
  copied("a copy");
  copy(y, y, N), all += sum(y, N);
  copied("a copy of itself");
  copy(y, y + N / 2, N / 2), all += sum(y, N);
  copied("of its other half");
  int flag = 1;
  waits(y, &flag, N), all += sum(y, N);
  copied("waits");
  clear(), all += sum(&table[0][0], ROWS * COLUMNS);
  copied("a table");
#pragma omp target data map(to : y[0 : N])
  fill(y, N, N);
  all += sum(y, N);
  copied("is there");
  printf("%.17g\n", all);
}
// CHECK: with:
// CHECK-NEXT: all of it: 0 bytes there, 8000 back
// CHECK-NEXT: all but one: 8000 bytes there, 8000 back
// CHECK-NEXT: none of it: 8000 bytes there, 8000 back
// CHECK-NEXT: backwards: 0 bytes there, 8000 back
// CHECK-NEXT: every other: 8000 bytes there, 8000 back
// CHECK-NEXT: a member: 16000 bytes there, 16000 back
// CHECK-NEXT: fifteen: 12800 bytes there, 12800 back
// CHECK-NEXT: sixteen: 0 bytes there, 12800 back
// CHECK-NEXT: rows: 16000 bytes there, 32000 back
// CHECK-NEXT: parts of rows: 32000 bytes there, 32000 back
// CHECK-NEXT: sometimes: 16000 bytes there, 16000 back
// CHECK-NEXT: asked: 0 bytes there, 8000 back
// CHECK-NEXT: not asked: 8000 bytes there, 8000 back
// CHECK-NEXT: triangle: 12800 bytes there, 12800 back
// CHECK-NEXT: neighbours: 8000 bytes there, 8000 back
// CHECK-NEXT: read elsewhere: 8000 bytes there, 16000 back
// CHECK-NEXT: a copy: 8000 bytes there, 8000 back
// CHECK-NEXT: a copy of itself: 8000 bytes there, 8000 back
// CHECK-NEXT: of its other half: 4000 bytes there, 4000 back
// CHECK-NEXT: waits: 8004 bytes there, 8004 back
// CHECK-NEXT: a table: 0 bytes there, 16000 back
// CHECK-NEXT: is there: 8000 bytes there, 0 back
