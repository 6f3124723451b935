// The negative twin of rows-of-a-stencil.c: the rows are whole, so m i + j is the number itself. LLVM cancels the divisions out, and one long
// loop is better than many short ones; in three dimensions likewise, and without a sign.
// RUN: %compile-host %s | env IPDA_TRANSFORM=on %opt -passes=ipda -pass-remarks-analysis=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s
// What is not a nest stays as the front end made it.
// RUN: %compile-host-nog %s | env IPDA_TRANSFORM=on %opt -passes=ipda -S -o %t.with.ll
// RUN: %compile-host-nog %s | %opt -passes=ipda -S -o %t.without.ll
// RUN: diff %t.with.ll %t.without.ll

void rows(int n, int m, float *a, const float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * m]) map(to : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = 2.0f * b[i * m + j];
}

void planes(int n, int m, int l, double *a, const double *b) {
#pragma omp target teams distribute parallel for collapse(3) map(from : a[0 : n * m * l]) map(to : b[0 : n * m * l])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k)
        a[(i * m + j) * l + k] = 2.0 * b[(i * m + j) * l + k];
}

void sizes(unsigned long n, unsigned long m, float *a, const float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(from : a[0 : n * m]) map(to : b[0 : n * m])
  for (unsigned long i = 0; i < n; ++i)
    for (unsigned long j = 0; j < m; ++j)
      a[i * m + j] = 2.0f * b[i * m + j];
}

// CHECK-DAG: one-long-row.c:10:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: its accesses go by the number of the iteration alone, so that the compiler removes the divisions
// CHECK-DAG: one-long-row.c:17:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: its accesses go by the number of the iteration alone
// CHECK-DAG: one-long-row.c:25:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: its accesses go by the number of the iteration alone
// CHECK-NOT: nest of
