// A vector of eight floats, four of them in one run of the body: the inner loop runs a 32nd as often, then by vectors alone, then one by one.
// RUN: %compile-host-nog -march=skylake-avx512 -ffast-math %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void rows(int n, int m, const float *restrict A, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j];
    y[i] = sum;
  }
}

// CHECK: code for the host's skylake-avx512
// CHECK: of loop0 runs floor([arg1] / 32): instructions {{.*}} loads 4 stores 0 calls 0
// CHECK: of loop0 runs {{.*}} loads 1 stores 0 calls 0
