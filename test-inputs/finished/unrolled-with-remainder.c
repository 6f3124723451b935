// What one iteration of the shared loop costs is the sum over the finished code's loops: on the host the sum over j is unrolled by four, and
// its rest has what is left over; on the device it is unrolled by two, and the rest is one addition, in half of the cases, in the body
// around. Without debug information the words are the same as the report's.
// RUN: %compile-host-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: %compile-device-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s --check-prefix=DEVICE

void rows(int n, int m, const float *restrict A, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], x[0 : m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j] * x[j];
    y[i] = sum;
  }
}

// An addition waits for the one before it: four cycles each, or three.
// HOST: region 'rows'
// HOST: code for the host's x86-64
// HOST: of loop0 runs 1: {{.*}} stores 1 calls 0
// HOST: of loop0 runs floor([arg1] / 4): {{.*}} loads 8 stores 0 calls 0 {{.*}}skylake-avx512 16 {{.*}}znver3 12 
// HOST: of loop0 runs [arg1] - 4*floor([arg1] / 4): {{.*}} loads 2 stores 0 calls 0 {{.*}}skylake-avx512 4 

// DEVICE: region 'rows'
// DEVICE: code for sm_90
// DEVICE: of loop0 runs 1: load-global 1 store-global 1 float32 0.5
// DEVICE: of loop0 runs floor([arg1] / 2): load-global 4 float32 2
