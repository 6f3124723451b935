// REQUIRES: cuda, libomp-device-bc
// RUN: %clang -O2 -w %nvptx %load %remarks -c %s -o %t.o 2>&1 | %FileCheck %s
//
// Host and device have C's functions in other forms: as functions of their own libraries, or as LLVM's. They compute the same, so that launches may
// run on the host. The twins differ: in what is left where, and in what is asked for.

#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#define REGION _Pragma("omp target teams distribute parallel for map(tofrom : x[0 : n]) map(to : y[0 : n])")

void absolute_values(int n, long *x, const int *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = abs(y[i]) + labs(x[i]) + llabs(x[i] - 3);
}

void classes(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = isnan(y[i]) || isinf(x[i]) || signbit(y[i]) ? 0 : isfinite(x[i]) + y[i];
}

void rare_ones(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = sinh(y[i]) + tgamma(y[i]) + logb(y[i]) + j0(y[i]) + nextafter(y[i], 3) + scalbn(y[i], 2) + jn(2, y[i]);
}

void rounded(int n, long *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = lround(y[i]) + lrint(y[i]) + llround(y[i]) + ilogb(y[i]);
}

void two_results(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i) {
    double s, c, whole;
    int e, q = 0;
    sincos(y[i], &s, &c);
    x[i] = 2 * s + c + modf(y[i], &whole) + whole + frexp(y[i], &e) * e + remquo(y[i], 3, &q) * q;
  }
}

void exchanged(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: its launches stay on the device: the device's version is not known to compute what the host's does
  REGION
  for (int i = 0; i < n; ++i) {
    double s, c;
#ifdef __NVPTX__
    sincos(y[i], &c, &s);
#else
    sincos(y[i], &s, &c);
#endif
    x[i] = 2 * s + c;
  }
}

void other_class(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: its launches stay on the device: the device's version is not known to compute what the host's does
  REGION
  for (int i = 0; i < n; ++i)
#ifdef __NVPTX__
    x[i] = isnan(y[i]) ? 0 : y[i];
#else
    x[i] = isinf(y[i]) ? 0 : y[i];
#endif
}

// Through an array's pointer, it is the array that is written, which is only copied there.
void writes_a_copy(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: its launches stay on the device: it writes to memory that is not copied back
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = modf(x[i], (double *)&y[i]);
}
