// RUN: %copied -g | %FileCheck %s
// Arrays that a kernel never writes come back only where the clause is believed. Sizes are in bytes: N floats are 40000.
#include "copied.inc"
enum { N = 10000, ROWS = 100 };

static void scale(float *y, float *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here, and not copied back: 4*{{\[n\]}} bytes less; to write it yourself, map(to:) in place of map(tofrom:) for x
  for (int i = 0; i < n; ++i)
    y[i] += 2 * x[i];
}

// Without a clause, clang maps arrays both ways.
static float table[ROWS][ROWS], weights[ROWS][ROWS];
static void smooth(void) {
#pragma omp target teams distribute parallel for collapse(2)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: weights is never written here, and not copied back: 40000 bytes less; to write it yourself, a clause map(to:) for weights
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < ROWS; ++j)
      table[i][j] = table[i][j] / 2 + weights[j][i];
}

static int look_up(const float *x, int at) { return (int)x[at]; }

// Sequential parts, helpers and a reduction read as well.
static long count(float *x, int *of, int n) {
  long total = 0;
#pragma omp target map(tofrom : x[0 : n], of[0 : n], total)
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  // CHECK-DAG: :[[@LINE-2]]:{{[0-9]+}}: remark: of is never written here
  {
    int first = look_up(x, 0);
#pragma omp parallel for reduction(+ : total)
    for (int i = 0; i < n; ++i)
      total += look_up(x, of[i]) - first;
  }
  return total;
}

static float x[N], y[N];
static int of[N];

int main(void) {
  for (int i = 0; i < N; ++i) {
    x[i] = i % 17;
    y[i] = i % 5;
    of[i] = N - 1 - i;
    table[i / ROWS][i % ROWS] = i % 7;
    weights[i / ROWS][i % ROWS] = i % 3;
  }
  scale(y, x, N);
  copied("scale");
  scale(y + 8, x + 16, N - 16);
  copied("scale a part");
  smooth();
  copied("smooth");
  long total = count(x, of, N);
  copied("count");
#pragma omp target data map(tofrom : x[0 : N])
  {
    scale(y, x, N);
    copied("x is there");
  }
  copied("x comes back");
#pragma omp target enter data map(to : x[0 : N])
  for (int i = 0; i < N; ++i)
    x[i] = -1;
  scale(y, x, N);
  copied("x was brought");
#pragma omp target exit data map(from : x[0 : N])
  copied("x is fetched");
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += x[i] * 3 + y[i] + table[i / ROWS][i % ROWS];
  printf("%g %ld\n", sum, total);
}
// CHECK: without:
// CHECK-NEXT: scale: 80000 bytes there, 80000 back
// CHECK-NEXT: scale a part: 79872 bytes there, 79872 back
// CHECK-NEXT: smooth: 80000 bytes there, 80000 back
// CHECK-NEXT: count: 80008 bytes there, 80008 back
// CHECK-NEXT: x is there: 80000 bytes there, 40000 back
// CHECK-NEXT: x comes back: 0 bytes there, 40000 back
// CHECK-NEXT: x was brought: 80000 bytes there, 40000 back
// CHECK-NEXT: x is fetched: 0 bytes there, 40000 back
// CHECK-NEXT: with:
// CHECK-NEXT: scale: 80000 bytes there, 40000 back
// CHECK-NEXT: scale a part: 79872 bytes there, 39936 back
// CHECK-NEXT: smooth: 80000 bytes there, 40000 back
// CHECK-NEXT: count: 80008 bytes there, 8 back
// CHECK-NEXT: x is there: 80000 bytes there, 40000 back
// CHECK-NEXT: x comes back: 0 bytes there, 40000 back
// CHECK-NEXT: x was brought: 80000 bytes there, 40000 back
// CHECK-NEXT: x is fetched: 0 bytes there, 40000 back
