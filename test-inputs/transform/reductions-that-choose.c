// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// The least, the greatest, and whether there is one: the copies are combined by the same choice, in whichever order.

#define REGION(clause) _Pragma(#clause)

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

void found(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(|: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (B[i * m + j] > 50)
        s = 1;
  *out = s;
}

// CHECK: region 'least_and_greatest'
// CHECK: transformation possible threads i j
// CHECK: region 'greatest_of_floats'
// CHECK: transformation possible threads i j
// CHECK: region 'found'
// CHECK: transformation possible threads i j
