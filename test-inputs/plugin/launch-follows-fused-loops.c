// REQUIRES: cuda, libomp-device-bc
// What the host's code becomes: a launch of a kernel whose loops were fused goes through a function that multiplies the trip count by NJ, the
// second captured variable, and puts it back behind the runtime's call. Other launches stay as they are.
// RUN: env IPDA_DECISION=off %clang -O1 -mllvm -inline-threshold=-1000000 %nvptx %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s
// RUN: env IPDA_DECISION=off %clang -O1 -mllvm -inline-threshold=-1000000 -g %nvptx-two %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s
// Nothing is planted by the device side, or its images do not agree.
// RUN: env IPDA_DECISION=off IPDA_TRANSFORM=off %clang -O1 %nvptx %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s --check-prefix=WRITTEN
// RUN: env IPDA_DECISION=off %clang -O1 %nvptx-and-x86 %load -S -emit-llvm %s -o - | grep -v embedded.object | %FileCheck %s --check-prefix=WRITTEN
// Told that there is a thread for each iteration, clang lets the runtime leave out the loop around it: then the device side fuses nothing.
// RUN: env IPDA_DECISION=off %clang -O1 -fopenmp-assume-teams-oversubscription %nvptx %load -Rpass-missed=ipda -S -emit-llvm %s -o %t.teams.ll 2> %t.teams
// RUN: grep -v embedded.object %t.teams.ll | %FileCheck %s --check-prefix=WRITTEN
// RUN: %FileCheck %s --check-prefix=REASON < %t.teams
// RUN: env IPDA_DECISION=off %clang -O1 -fopenmp-assume-threads-oversubscription %nvptx %load -Rpass-missed=ipda -S -emit-llvm %s -o %t.threads.ll 2> %t.threads
// RUN: grep -v embedded.object %t.threads.ll | %FileCheck %s --check-prefix=WRITTEN
// RUN: %FileCheck %s --check-prefix=REASON < %t.threads

void gemm(int NI, int NJ, int NK, float ALPHA, float BETA, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : NI * NK], B[0 : NK * NJ]) map(tofrom : C[0 : NI * NJ])
  for (int i = 0; i < NI; ++i)
    for (int j = 0; j < NJ; ++j) {
      C[i * NJ + j] *= BETA;
      for (int k = 0; k < NK; ++k)
        C[i * NJ + j] += ALPHA * A[i * NK + k] * B[k * NJ + j];
    }
}

void scale(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 2.0f;
}

// CHECK-LABEL: define {{.*}} @gemm(
// CHECK: call {{.*}}i32 @__ipda_launch___omp_offloading_{{[0-9a-f_]+}}gemm_l{{[0-9]+}}(
// CHECK-LABEL: define {{.*}} @scale(
// CHECK: call i32 @__tgt_target_kernel({{.*}}scale_l{{[0-9]+}}.region_id
// CHECK-LABEL: define internal {{.*}}i32 @__ipda_launch___omp_offloading_{{[0-9a-f_]+}}gemm_l
// CHECK: [[BASES_AT:%[0-9]+]] = getelementptr inbounds i8, ptr [[ARGUMENTS:%[0-9]+]], i64 8
// CHECK: [[BASES:%[0-9]+]] = load ptr, ptr [[BASES_AT]]
// CHECK: [[NJ_AT:%[0-9]+]] = getelementptr inbounds i8, ptr [[BASES]], i64 8
// CHECK: [[NJ:%[0-9]+]] = load i64, ptr [[NJ_AT]]
// CHECK: [[COUNT_AT:%[0-9]+]] = getelementptr inbounds i8, ptr [[ARGUMENTS]], i64 56
// CHECK: [[COUNT:%[0-9]+]] = load i64, ptr [[COUNT_AT]]
// CHECK: mul nuw i128
// CHECK: [[NEW:%[0-9]+]] = select i1 %{{[0-9]+}}, i64 %{{[0-9]+}}, i64 [[COUNT]]
// CHECK: store i64 [[NEW]], ptr [[COUNT_AT]]
// CHECK: [[RESULT:%[0-9]+]] = {{(tail )?}}call i32 @__tgt_target_kernel({{.*}}gemm_l{{[0-9]+}}.region_id, ptr {{.*}}[[ARGUMENTS]])
// CHECK: store i64 [[COUNT]], ptr [[COUNT_AT]]
// CHECK: ret i32 [[RESULT]]
// CHECK: !ipda.launches = !{

// WRITTEN-NOT: __ipda_launch
// WRITTEN-NOT: ipda.launches

// REASON: the loops over {{.*}} are not collapsed, though {{.*}}: the compiler was told to assume that there is a thread for each iteration as written
