// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Each thread adds to a copy of its own, and the copies are combined after the loop, in whichever order: threads may as well share the
// additions otherwise.

#define REGION(clause) _Pragma(#clause)

void sum(int n, int m, const double *B, double *out) {
  double s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

void product(int n, int m, const unsigned *B, unsigned *out) {
  unsigned s = *out;
REGION(omp target teams distribute parallel for reduction(*: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s *= 2 * B[i * m + j] + 1;
  *out = s;
}

void of_narrow_numbers(int n, int m, const short *B, short *out) {
  short s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

// CHECK: region 'sum'
// CHECK: transformation possible threads i j
// CHECK: region 'product'
// CHECK: transformation possible threads i j
// CHECK: region 'of_narrow_numbers'
// CHECK: transformation possible threads i j
