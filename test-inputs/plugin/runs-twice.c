// REQUIRES: libomp-device-bc
// RUN: %compile-device %s -Xclang -mlink-builtin-bitcode -Xclang %llvm-lib/libomptarget-nvptx-sm_90.bc -o %t.bc
// RUN: %opt -passes='ipda' -S %t.bc 2>/dev/null | %FileCheck %s --check-prefix=CHANGED
// RUN: %opt -passes='ipda<version=0>' %t.bc -o %t.once.bc 2>/dev/null
// RUN: %opt -passes=ipda -S %t.once.bc 2>/dev/null | %FileCheck %s --check-prefix=LEFT
//
// Twice, with other options. The first run leaves the loops, and the device runtime only the cases that they reach, so the second one must not
// change the loops, which would pass more.
//
// CHANGED: define internal void @__kmpc_parallel_51(
// CHANGED: switch i64
// CHANGED-NEXT: i64 [[NUMBER:[0-9]+]], label
// CHANGED-NEXT: ]
// CHANGED: call void @__kmpc_parallel_51({{.*}}.ipda, {{.*}}, i64 [[NUMBER]])
// LEFT-NOT: .ipda
// LEFT: call void @__kmpc_parallel_51({{.*}}, i64 [[NUMBER:[0-9]+]])
// LEFT: define internal void @__kmpc_parallel_51(
// LEFT: switch i64
// LEFT-NEXT: i64 [[NUMBER]], label
// LEFT-NEXT: ]

void product(int n, int m, int l, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      c[i * m + j] = 0;
      for (int k = 0; k < l; ++k)
        c[i * m + j] += a[i * l + k] * b[k * m + j];
    }
}
