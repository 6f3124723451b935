// RUN: %copied -g | %FileCheck --implicit-check-not=NotCopiedBack %s
// Where not all that a kernel writes is known, everything may be written, and all comes back: without one of these rules, a result would be lost.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 1000 };

// The array's address goes through memory.
static void through_memory(double *x, int n, int which) {
#pragma omp target map(tofrom : x[0 : n])
  {
    double *places[4] = {0, 0, 0, 0};
    places[which] = x;
    places[3 - which + 1] = x + 1;
    *places[which] = 1;
  }
}

// Another file might bring another one.
__attribute__((weak)) void helper(double *x) { x[1] += 2; }
static void weak_function(double *x, int n) {
#pragma omp target map(tofrom : x[0 : n])
  helper(x);
}

typedef void operation(double *);
static void negate(double *x) { x[2] -= 1; }
static void halve(double *x) { x[2] /= 2; }
static void by_pointer(double *x, int n, int which) {
#pragma omp target map(tofrom : x[0 : n])
  {
    operation *all[2] = {negate, halve};
    all[which](x);
  }
}

// What a declared reduction does with its copies may reach anything.
struct box {
  double *place;
  double sum;
};
#pragma omp declare reduction(join : struct box : (omp_out.place[3] = 5, omp_out.sum += omp_in.sum)) initializer(omp_priv = omp_orig)
static double declared_reduction(double *x, int n) {
  struct box box = {0, 0};
#pragma omp target map(tofrom : x[0 : n], box)
  {
    box.place = x;
#pragma omp parallel for reduction(join : box)
    for (int i = 0; i < n; ++i)
      box.sum += x[i];
  }
  return box.sum;
}

// The copies of a reduction lead to x, the variable that it is for to y alone.
static double by_copies(double *x, double *y, int n) {
  double found = 0;
#pragma omp target map(tofrom : x[0 : n], y[0 : n], found)
  {
    struct box box = {y, 0};
#pragma omp parallel for reduction(join : box)
    for (int i = 0; i < n; ++i) {
      box.place = x;
      box.sum += y[i];
    }
    found = box.sum;
  }
  return found;
}

// Assembly.
static void assembly(double *x, int n) {
#pragma omp target map(tofrom : x[0 : n])
  __asm__ volatile("movq $0, (%0)" ::"r"(x + 4) : "memory");
}

int main(int count, char **arguments) {
  (void)arguments;
  double *x = malloc(N * sizeof *x);
  for (int i = 0; i < N; ++i)
    x[i] = i;
  through_memory(x, N, count);
  weak_function(x, N);
  by_pointer(x, N, count);
  double sum = declared_reduction(x, N);
  assembly(x, N);
  double *y = calloc(N, sizeof *y);
  sum += by_copies(x, y, N);
  printf("%g %g %g %g %g %g\n", x[0], x[1], x[2], x[3], x[4], sum > 0 ? 1. : 0.);
  free(x), free(y);
}
// CHECK: 1 3 1 5 0 1
