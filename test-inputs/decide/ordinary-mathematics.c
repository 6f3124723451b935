// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 %nvptx -c %load %s -o %t.o && %FileCheck %s <%t.yaml
// RUN: env IPDA_REPORT=%t.yaml %clang -Ofast -g -w %nvptx -c %load %s -o %t.o && %FileCheck %s <%t.yaml
//
// On the host, functions of mathematics are instructions, which cost little: where a condition decides between two of them, both are computed and one
// is chosen, and conditions are joined. On the device they are calls, and branches stay. Both versions compute the same, and launches decide.
#include <math.h>
#include <stdlib.h>

#define SHARED _Pragma("omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])")

void soft_threshold(int n, const double *restrict x, double *restrict y, double e) {
  SHARED for (int i = 0; i < n; ++i) y[i] = fabs(x[i]) < e ? e : fabs(x[i]);
}

// CHECK: function: soft_threshold
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void root_where_positive(int n, const float *restrict x, float *restrict y) {
  SHARED for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? sqrtf(x[i]) : 0;
}

// CHECK: function: root_where_positive
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void nearest_image(int n, const double *restrict x, double *restrict y, double box) {
  SHARED for (int i = 0; i < n; ++i) {
    double d = x[i] - y[i];
    d -= box * rint(d / box);
    if (fabs(d) > 0.5 * box)
      d -= copysign(box, d);
    y[i] = fmod(d, box);
  }
}

// CHECK: function: nearest_image
// CHECK: on_host:
// CHECK-NEXT: may_run: true

static double minmod(double a, double b) {
  if (a * b <= 0)
    return 0;
  return fabs(a) < fabs(b) ? a : b;
}

void limited_slopes(int n, const double *restrict x, double *restrict y) {
  SHARED for (int i = 1; i < n - 1; ++i) y[i] = minmod(x[i + 1] - x[i], x[i] - x[i - 1]);
}

// CHECK: function: limited_slopes
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void both_small(int n, const double *restrict x, double *restrict y, double e) {
  SHARED for (int i = 0; i < n; ++i) {
    double a = x[i], b = y[i];
    if (fabs(a) < e && fabs(b) < e)
      y[i] = 1;
  }
}

// CHECK: function: both_small
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void those_between(int n, const double *restrict x, double *restrict y, double e) {
  SHARED for (int i = 0; i < n; ++i) {
    double a = x[i];
    if (a < 0)
      continue;
    if (fabs(a) > e)
      continue;
    y[i] += a;
  }
}

// CHECK: function: those_between
// CHECK: on_host:
// CHECK-NEXT: may_run: true

void kinds(int n, const int *restrict x, double *restrict y) {
  SHARED for (int i = 0; i < n; ++i) {
    double v;
    switch (x[i]) {
    case 0: v = 1; break;
    case 1: v = fabs(y[i]); break;
    default: v = 7;
    }
    y[i] = abs(x[i]) > 5 ? v : -v;
  }
}

// CHECK: function: kinds
// CHECK: on_host:
// CHECK-NEXT: may_run: true

// Structures without names have numbers, and the host has one more of them.
static struct {
  int steps;
} progress;
int step(void) { return progress.steps++; }
#pragma omp declare target
static const struct {
  double a, b;
  int kind;
} gases[2] = {{1.4, 1.0, 0}, {1.6, 2.0, 1}};
#pragma omp end declare target

void table_of_structures(int n, const double *restrict x, double *restrict y) {
  SHARED for (int i = 0; i < n; ++i) y[i] = gases[i & 1].a * x[i] + gases[i & 1].b * gases[i & 1].kind;
}

// CHECK: function: table_of_structures
// CHECK: on_host:
// CHECK-NEXT: may_run: true
