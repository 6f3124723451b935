// The inner loop runs as often as the number of the outer iteration says, in the words of the report.
// RUN: %compile-device %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s
// RUN: %compile-host %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s

void lower(int n, const float *restrict A, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < i; ++j)
      sum += A[i * n + j] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'lower'
// CHECK: of loop0 runs floor({{\(?}}i{{\)?}} / {{[24]}}):
