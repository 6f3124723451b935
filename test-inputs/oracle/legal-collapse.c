// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %compile-device -DCHANGED %s > %t.changed.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --against %t.changed.bc | %FileCheck %s
//
// A matrix product, a thread for each row or for each element.
// ARGS: n: 9
// ARGS: m: 14
// ARGS: p: 6

void gemm(int n, int m, int p, const float *A, const float *B, float *C) {
#ifdef CHANGED
#pragma omp target teams distribute parallel for collapse(2) map(to : A[0 : n * p], B[0 : p * m]) map(tofrom : C[0 : n * m])
#else
#pragma omp target teams distribute parallel for map(to : A[0 : n * p], B[0 : p * m]) map(tofrom : C[0 : n * m])
#endif
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        C[i * m + j] += A[i * p + k] * B[k * m + j];
}

// CHECK: kernel {{.+}}: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race that the original lacks
// CHECK-NOT: {{.}}
