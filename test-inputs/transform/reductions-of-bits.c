// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Operations on bits and truth values, several of them in one loop.

#define REGION(clause) _Pragma(#clause)

void bits(int n, int m, const unsigned *B, unsigned *out) {
  unsigned a = out[0], o = out[1], x = out[2];
REGION(omp target teams distribute parallel for reduction(&: a) reduction(|: o) reduction(^: x) map(tofrom: a, o, x))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      a &= B[i * m + j] | 3;
      o |= B[i * m + j];
      x ^= B[i * m + j];
    }
  out[0] = a;
  out[1] = o;
  out[2] = x;
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

// CHECK: region 'bits'
// CHECK: transformation possible threads i j
// CHECK: region 'all_and_any'
// CHECK: transformation possible threads i j
