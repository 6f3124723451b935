// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
// RUN: %ipda-oracle transform --optimised %s
//
// The largest change of a sweep, as solvers ask for it: the value that is compared is computed anew where it is stored.
#include <math.h>

#define AT(i, j) ((i) * (m + 2) + (j))

// CHECK-LABEL: region 'sweep'
// CHECK: transformation possible threads i j
double sweep(int n, int m, const double *restrict u, double *restrict next) {
  double most = 0.0;
#pragma omp target teams distribute parallel for map(to : u[0 : (n + 2) * (m + 2)]) map(tofrom : next[0 : (n + 2) * (m + 2)]) reduction(max : most)
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j) {
      next[AT(i, j)] = 0.25 * (u[AT(i - 1, j)] + u[AT(i + 1, j)] + u[AT(i, j - 1)] + u[AT(i, j + 1)]);
      if (fabs(next[AT(i, j)] - u[AT(i, j)]) > most)
        most = fabs(next[AT(i, j)] - u[AT(i, j)]);
    }
  return most;
}

// What is stored is another number than what is compared.
// CHECK-LABEL: region 'roots'
// CHECK: because 'a reduction's variable is used in the loop beside the reduction
double roots(int n, int m, const double *restrict u) {
  double most = 0.0;
#pragma omp target teams distribute parallel for map(to : u[0 : (n + 2) * (m + 2)]) reduction(max : most)
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j)
      if (fabs(u[AT(i, j)]) > most)
        most = sqrt(u[AT(i, j)]);
  return most;
}

// CHECK-LABEL: region 'neighbours'
// CHECK: because 'a reduction's variable is used in the loop beside the reduction
double neighbours(int n, int m, const double *restrict u) {
  double most = 0.0;
#pragma omp target teams distribute parallel for map(to : u[0 : (n + 2) * (m + 2)]) reduction(max : most)
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= m; ++j)
      if (fabs(u[AT(i, j)]) > most)
        most = fabs(u[AT(i, j - 1)]);
  return most;
}
