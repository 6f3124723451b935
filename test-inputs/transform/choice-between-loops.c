// What a guard says is chosen inside one function of the kernel, as many as without the plugin, until LLVM's optimisation of OpenMP has run. Behind it
// there are two, so that neither version of the loops takes the registers of the other.
// RUN: %compile-device-nog %s > %t.bc
// RUN: %opt -passes='ipda,verify' -S %t.bc -o - | %FileCheck %s --check-prefix=FRONT
// RUN: %opt -passes='default<O2>' -S %t.bc -o - | %FileCheck %s --check-prefix=BEHIND
// RUN: %opt -passes='default<O1>' -S %t.bc -o - | %FileCheck %s --check-prefix=BEHIND
// RUN: %ipda-oracle transform %s

void add_rows(int n, int m, float *A, const float *row) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += row[j];
}

// FRONT: call void @{{.*}}_omp_outlined.ipda({{.*}}, i64 [[HOLDS:%[0-9]+]], i64 %{{[0-9]+}}, i64 %{{[0-9]+}})
// FRONT: define internal void @{{.*}}_omp_outlined.ipda(
// FRONT: call void @__kmpc_distribute_static_init_4(
// FRONT-NOT: call void @__kmpc_distribute_static_init_4(
// FRONT: "ipda-choice"="6"

// BEHIND-COUNT-2: call void @__kmpc_distribute_static_init_4(
// BEHIND-NOT: call void @__kmpc_distribute_static_init_4(
// BEHIND-NOT: ipda-choice
