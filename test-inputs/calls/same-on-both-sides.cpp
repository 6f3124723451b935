// REQUIRES: cuda, libomp-device-bc
// RUN: %clang++ -O2 -w %nvptx %load %remarks -c %s -o %t.o 2>&1 | %FileCheck %s
//
// The same of C++'s headers, whose tests of classes are calls on the device, and whose least and greatest values are references.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#define REGION _Pragma("omp target teams distribute parallel for map(tofrom : x[0 : n]) map(to : y[0 : n])")

void absolute_values(int n, long *x, const int *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = std::abs(y[i]) + std::labs(x[i]) + std::abs(x[i] - 3);
}

void not_numbers(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    if (std::isnan(y[i]))
      x[i] = 0;
}

void classes(int n, float *x, const float *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = std::isinf(y[i]) + 2 * std::signbit(y[i]) + (std::isfinite(y[i]) ? y[i] : 0);
}

void greatest(int n, double *x, const double *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: each launch may run on the host
  REGION
  for (int i = 0; i < n; ++i)
    x[i] = std::max(x[i], y[i]) + std::sqrt(y[i]);
}

void other_class(int n, float *x, const float *y) {
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: its launches stay on the device: the device's version is not known to compute what the host's does
  REGION
  for (int i = 0; i < n; ++i)
#ifdef __NVPTX__
    x[i] = std::isnan(y[i]) ? 0 : y[i];
#else
    x[i] = std::isinf(y[i]) ? 0 : y[i];
#endif
}
