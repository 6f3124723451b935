// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Each thread adds to a copy of its own, and the copies are combined behind the loop, in whichever order: threads may as well share the
// additions otherwise, for every operation that a clause can name.

#define REGION(clause) _Pragma(#clause)

void sum(int n, int m, const double *B, double *out) {
  double s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

void least_and_greatest(int n, int m, const int *B, int *out) {
  int low = out[0], high = out[1];
REGION(omp target teams distribute parallel for reduction(min: low) reduction(max: high) map(tofrom: low, high))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      if (B[i * m + j] > high)
        high = B[i * m + j];
      low = low < B[i * m + j] ? low : B[i * m + j];
    }
  out[0] = low;
  out[1] = high;
}

void greatest_of_floats(int n, int m, const double *B, double *out) {
  double s = *out;
REGION(omp target teams distribute parallel for reduction(max: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = B[i * m + j] > s ? B[i * m + j] : s;
  *out = s;
}

void all_and_any(int n, int m, const int *B, int *out) {
  int all = out[0], any = out[1];
REGION(omp target teams distribute parallel for reduction(&&: all) reduction(||: any) map(tofrom: all, any))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int here = B[i * m + j];
      all = all && here;
      any = here > 90 || any;
    }
  out[0] = all;
  out[1] = any;
}

void found(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(|: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (B[i * m + j] > 50)
        s = 1;
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
// CHECK: region 'least_and_greatest'
// CHECK: transformation possible threads i j
// CHECK: region 'greatest_of_floats'
// CHECK: transformation possible threads i j
// CHECK: region 'all_and_any'
// CHECK: transformation possible threads i j
// CHECK: region 'found'
// CHECK: transformation possible threads i j
// CHECK: region 'of_narrow_numbers'
// CHECK: transformation possible threads i j
