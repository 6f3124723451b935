// The loops of a function that is called, not inlined, belong to the iteration that calls it.
// RUN: %compile-device-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s
// RUN: %compile-host-nog %s | env IPDA_REPORT=%t.yaml %opt -passes='default<O2>,print<ipda-model>' -disable-output 2>&1 | %FileCheck %s --check-prefix=HOST

__attribute__((noinline)) static float root(float x, int m) {
  float r = x;
#pragma clang loop unroll(disable)
  for (int k = 0; k < m; ++k)
    r = 0.5f * (r + x / r);
  return r;
}

void roots(int n, int m, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = root(x[i], m);
}

// CHECK: region 'roots'
// CHECK: of loop0 runs [arg2]: {{.*}}divide32 1
// HOST: of loop0 runs 1: {{.*}} calls 1
// HOST: of loop0 runs [arg2]: {{.*}} loads 0 stores 0 calls 0
