// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// With an if clause, the host's code has the parallel part twice: started by the runtime, and called where the condition is false. Both are followed,
// and neither calls itself.

void set(int n, int least, float *x) {
#pragma omp target teams distribute parallel for if (parallel : n > least) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: region 'set'
// CHECK: store x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: reject
