// A division by a constant is a multiplication, by a power of two a shift: rows of a known length must be long, or what their loop costs is more.
// In the second function the inner two of three loops stay one loop over planes of 3 m elements, which are long.
// RUN: %compile-host %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-analysis=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s

void columns(int n, const float *a, float *x) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 4 * n]) map(from : x[0 : 4 * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j)
      x[4 * i + j] = a[n * j + i];
}
// CHECK-DAG: short-rows.c:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: the rows are too short

void colours(int n, int m, const float *a, float *x) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : 3 * n * m]) map(from : x[0 : 3 * n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int c = 0; c < 3; ++c)
        x[(i * m + j) * 3 + c] = a[(j * n + i) * 3 + c];
}
// CHECK-DAG: short-rows.c:[[# @LINE - 6]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again

void shifted(int n, const float *a, float *x) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 100 * n]) map(from : x[0 : 100 * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 100; ++j)
      x[100 * i + j] = a[n * j + i];
}
// CHECK-DAG: short-rows.c:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again
