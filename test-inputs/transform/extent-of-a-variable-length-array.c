// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --optimised %s
//
// Of a mapped array of variable length that is a local variable of the host's code, the device's code says that one element is there: that is not all of it,
// and does not keep a row from being long. Threads that also share the loop over j need 32.33 sectors (of a[i], b[i] and row) instead of 97.
//
// ARGS: n: 5

// CHECK-LABEL: region 'scaled_rows'
// CHECK: transformation possible threads i j
void scaled_rows(int n, int m, double a[n][m], double (*b)[m]) {
  double row[m];
  for (int j = 0; j < m; ++j)
    row[j] = 0.5 * j;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n][0 : m]) map(to : b[0 : n][0 : m], row[0 : m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i][j] += b[i][j] * row[j];
}
