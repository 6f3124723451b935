// Two perfect loops: the inner one is fused into the threads, for neighbouring threads have neighbouring j then. The kernel tests what
// that rests on, and runs the loops as written otherwise.
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='ipda<remarks=here>,verify' -pass-remarks=ipda -S -o %t.ll 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %FileCheck %s --check-prefix=IR < %t.ll
// What the guard says is chosen inside one function of the kernel, as many as without the plugin, and behind one grid-stride loop for both versions.
// RUN: %compile-device-nog %s > %t.bc
// RUN: %opt -passes='ipda,verify' -S %t.bc -o - | %FileCheck %s --check-prefix=FRONT
// RUN: %opt -passes='default<O2>' -S %t.bc -o - | %FileCheck %s --check-prefix=BEHIND

void add_rows(int n, int m, const float *row, float *A) {
#pragma omp target teams distribute parallel for map(to : row[0 : m]) map(tofrom : A[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += row[j];
}

// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'row and A do not overlap'
// CHECK-NEXT: if 'm >= 1'
// CHECK-NEXT: if 'n*m < 2^31 - 2^20'
// CHECK-NEXT: clause 'add collapse(2) to the directive'

// REMARK: collapse-perfect-nest.c:[[#]]:3: collapsed the loops over i and j: for sizes of 1021 a warp touches {{[0-9.]+}} sectors instead of {{[0-9.]+}}
// REMARK-SAME: where row and A do not overlap, and m >= 1, and n*m < 2^31 - 2^20, as the kernel tests; to write it yourself, add collapse(2) to the directive

// In the kernel: the footprints in numbers that hold all of their ends.
// IR: define weak_odr protected void @__omp_offloading_{{.*}}_add_rows_
// The number of the thread is taken apart in the copy of the loop's body: no division, and no inner loop.
// IR: define internal void @{{.*}}add_rows{{.*}}outlined{{.*}}outlined{{.*}}.ipda({{.*}}, i64 %{{[0-9]+}})
// IR: [[HOLDS:%[0-9]+]] = icmp ne i64 %{{[0-9]+}}, 0
// IR-NEXT: br i1 [[HOLDS]],
// IR: call i32 @llvm.nvvm.mulhi.ui(
// IR-NOT: udiv

// FRONT: call void @{{.*}}_omp_outlined.ipda({{.*}}, i64 %{{[0-9]+}}, i64 %{{[0-9]+}}, i64 %{{[0-9]+}})
// FRONT-NOT: call void @__kmpc_distribute_static_init_4(
// FRONT: define internal void @{{.*}}_omp_outlined.ipda(
// FRONT: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// FRONT-NOT: call void @__kmpc_distribute_static_init_4(
// FRONT-NOT: ipda-choice

// BEHIND: call void @__kmpc_parallel_51(
// BEHIND-NOT: call void @__kmpc_parallel_51(
