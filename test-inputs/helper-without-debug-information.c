// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
//
// The work is done by functions without places in the source, called from code that has some, with several ways to their ends: what they do
// is at the place of their call. The index is i or, where that is no index, 0: since i < n for all that run, it is i in each lane, and x
// and y move by 4 bytes.

__attribute__((nodebug)) static int within(int i, int n) {
  if (i < n)
    return i;
  return 0;
}

__attribute__((nodebug)) static float half(float value) { return value * 0.5f; }

void halve(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[within(i, n)] = half(x[within(i, n)]);
}

// CHECK: region 'halve' at {{.*}}helper-without-debug-information.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: acc0 load x 4 bytes in loop0 at {{.*}}helper-without-debug-information.c:20:{{[0-9]+}}
// CHECK: stride constant 4 class coalesced
// CHECK: acc1 store y 4 bytes in loop0 at {{.*}}helper-without-debug-information.c:20:{{[0-9]+}}
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: {{acc[0-9]}}
// CHECK: without-count 0
