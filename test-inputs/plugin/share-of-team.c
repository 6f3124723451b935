// REQUIRES: libomp-device-bc
// RUN: %compile-device-nog %s -o %t.bc
// RUN: %opt -passes='ipda,verify' -S %t.bc | %FileCheck %s
// RUN: env IPDA_TRANSFORM=on,left=off %opt -passes='ipda,verify' -S %t.bc | %FileCheck %s --check-prefix=LEFT
// RUN: env IPDA_TRANSFORM=off %opt -passes=ipda -S %t.bc | %FileCheck %s --check-prefix=OFF
// RUN: %opt -passes='default<O2>' -S %t.bc | %FileCheck %s --check-prefix=OPTIMISED
// RUN: env IPDA_TRANSFORM=off %opt -passes='default<O2>' -S %t.bc | %FileCheck %s --check-prefix=FOLDED
// RUN: %ipda-oracle transform %s
//
// A team takes as many iterations at a time as it has threads. LLVM takes 128 for that number wherever the kernel may have so many, while loops of
// few iterations are started with 32: of 4,000 iterations in 125 teams, 32 teams have four for each thread then, and 93 have none. A register
// has the number, so that nothing takes its place. (Loops with clang's own schedule ask for no chunk any more, see grid-stride.c.)

void row_by_row(int n, const float *restrict A, float *restrict sums) {
#pragma omp target teams distribute parallel for schedule(static, 2)
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j)
      sum += A[i * n + j];
    sums[i] = sum;
  }
}

void left(int n, float *A) {
#pragma omp target teams distribute parallel for schedule(static, 2)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// A chunk of the program's own stays.
void in_chunks(int n, float *A) {
#pragma omp target teams distribute parallel for dist_schedule(static, 64)
  for (int i = 0; i < n; ++i)
    A[i] *= 2;
}

// CHECK-NOT: call i32 @__kmpc_get_hardware_num_threads_in_block
// CHECK: define {{.*}}row_by_row_l
// CHECK: %[[#ROWS:]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
// CHECK: call void @__kmpc_distribute_static_init_4({{.*}}, i32 %[[#ROWS]])
// CHECK: define {{.*}}left_l
// CHECK: %[[#SIZE:]] = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
// CHECK: call void @__kmpc_distribute_static_init_4({{.*}}, i32 %[[#SIZE]])
// CHECK: define {{.*}}in_chunks_l
// CHECK: call void @__kmpc_distribute_static_init_4({{.*}}, i32 64)
// CHECK-NOT: call i32 @__kmpc_get_hardware_num_threads_in_block

// LEFT: define {{.*}}row_by_row_l
// LEFT: call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
// LEFT: define {{.*}}left_l
// LEFT: call i32 @__kmpc_get_hardware_num_threads_in_block()

// OFF: define {{.*}}row_by_row_l
// OFF: call i32 @__kmpc_get_hardware_num_threads_in_block()
// OFF-NOT: sreg.ntid

// OPTIMISED: define {{.*}}row_by_row_l
// OPTIMISED: %[[#ROWS:]] = tail call {{.*}}i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
// OPTIMISED: call void @__kmpc_distribute_static_init_4({{.*}}, i32 %[[#ROWS]])

// FOLDED: define {{.*}}row_by_row_l
// FOLDED: call void @__kmpc_distribute_static_init_4({{.*}}, i32 128)
