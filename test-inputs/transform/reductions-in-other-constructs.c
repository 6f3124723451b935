// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Reductions in one team, and in each of several ones, in which one thread leads the others.
// ARGS: b: 3

#define REGION(clause) _Pragma(#clause)

void in_one_team(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

void in_each_team(int b, int n, int m, const int *B, int *restrict out) {
REGION(omp target teams distribute)
  for (int k = 0; k < b; ++k) {
    int s = 0;
REGION(omp parallel for reduction(+: s))
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        s += B[(k * n + i) * m + j];
    out[k] = s;
  }
}

// CHECK: region 'in_one_team'
// CHECK: transformation possible threads i j
// CHECK: region 'in_each_team'
// CHECK: transformation possible threads i j
