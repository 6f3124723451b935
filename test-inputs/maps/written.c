// RUN: %copied -g | %FileCheck --implicit-check-not='remark: y' %s
// Each way of writing an array, with a twin that reads in the same way.
#include "copied.inc"
#include <stdlib.h>
#include <string.h>
enum { N = 1000 };

static void atomically(double *y, double *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    y[i % 10] += x[i];
  }
}

static void by_block(char *y, char *x, int n) {
#pragma omp target map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  {
    memcpy(y, x, n / 2);
    memset(y + n / 2, x[3], n / 4);
  }
}

static void one_of_two(double *y, double *y2, double *x, int n, int which) {
#pragma omp target map(tofrom : y[0 : n], y2[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  {
    double *to = which ? y : y2;
    to[x[1] > 0] = 7;
  }
}

static void walk(double *y, double *x, int n) {
#pragma omp target map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  for (double *end = y + n; y != end;)
    *y++ += *x++;
}

static void store(double *to, double value) { *to = value; }
static void by_helper(double *y, double *x, int n) {
#pragma omp target teams distribute map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  for (int i = 0; i < n; i += 100) {
#pragma omp parallel for
    for (int j = i; j < i + 100; ++j)
      store(y + j, x[j] - y[j]);
  }
}

// What is written only sometimes is written.
static void sometimes(double *y, double *x, int n, int never) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n], x[0 : n])
  // CHECK-DAG: :[[@LINE-1]]:{{[0-9]+}}: remark: x is never written here
  for (int i = 0; i < n; ++i)
    if (x[i] < 0 || never)
      y[i] = x[i];
}

int main(void) {
  double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z);
  for (int i = 0; i < N; ++i) {
    x[i] = i % 7 + 1;
    y[i] = z[i] = i;
  }
  atomically(y, x, N);
  by_block((char *)z, (char *)x, N * sizeof *x);
  one_of_two(y, z, x, N, 0);
  one_of_two(y, z, x, N, 1);
  walk(y, x, N);
  by_helper(y, x, N);
  sometimes(z, x, N, 0);
  copied("all");
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum = sum / 2 + 3 * y[i] + z[i];
  printf("%.17g\n", sum);
  free(x), free(y), free(z);
}
// Seven times x comes back no more.
// CHECK: without:
// CHECK-NEXT: all: [[#THERE:]] bytes there, [[#BACK:]] back
// CHECK: with:
// CHECK-NEXT: all: [[#THERE]] bytes there, [[#BACK - 56000]] back
