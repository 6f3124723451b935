// An inner loop whose sum stays in a register is unrolled as far as four loads are under way together: each of them takes a register. Where the
// program says something of its unrolling, or it has a constant count, it is left alone.
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %ipda-oracle transform --optimised %s
//
// ARGS: n: 13
// ARGS: m: 21

// CHECK: define internal void @{{.*}}_product_l{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: store float {{.*}}!alias.scope
// CHECK: br {{.*}}, !llvm.loop [[TWICE:![0-9]+]]
void product(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        C[i * m + j] += A[i * m + k] * B[k * m + j];
}

// CHECK: define internal void @{{.*}}_two_products_l{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: store float {{.*}}!alias.scope
// CHECK: br {{.*}}, !llvm.loop [[NEVER:![0-9]+]]
void two_products(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < m; k++)
        C[i * m + j] += A[i * m + k] * B[j * m + k] + B[i * m + k] * A[j * m + k];
}

// CHECK: define internal void @{{.*}}_as_told_l{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: store float {{.*}}!alias.scope
// CHECK: br {{.*}}, !llvm.loop [[EIGHT:![0-9]+]]
void as_told(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
#pragma clang loop unroll_count(8)
      for (int k = 0; k < m; k++)
        C[i * m + j] += A[i * m + k] * B[k * m + j];
}

// No store stood between these loads: they are unrolled as ever.
// CHECK: define internal void @{{.*}}_in_a_register_l{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: load float, {{.*}}!alias.scope
// CHECK: br {{.*}}, !llvm.loop [[AS_EVER:![0-9]+]]
void in_a_register(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0;
      for (int k = 0; k < m; k++)
        sum += A[i * m + k] * B[k * m + j];
      C[i * m + j] = sum;
    }
}

// CHECK: define internal void @{{.*}}_constant_l{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: store float {{.*}}!alias.scope
// CHECK: br {{.*}}, !llvm.loop [[FEW:![0-9]+]]
void constant(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < 4; k++)
        C[i * m + j] += A[i * 4 + k] * B[k * m + j];
}

// CHECK-DAG: [[TWICE]] = distinct !{[[TWICE]], {{.*}}[[TWO:![0-9]+]]}
// CHECK-DAG: [[TWO]] = !{!"llvm.loop.unroll.count", i32 2}
// CHECK-DAG: [[NEVER]] = distinct !{[[NEVER]], {{.*}}[[DISABLED:![0-9]+]]}
// CHECK-DAG: [[DISABLED]] = !{!"llvm.loop.unroll.disable"}
// CHECK-DAG: [[EIGHT]] = distinct !{[[EIGHT]], {{.*}}[[COUNT:![0-9]+]]}
// CHECK-DAG: [[COUNT]] = !{!"llvm.loop.unroll.count", i32 8}
// CHECK-DAG: [[AS_EVER]] = distinct !{[[AS_EVER]], [[PROGRESS:![0-9]+]]}
// CHECK-DAG: [[FEW]] = distinct !{[[FEW]], [[PROGRESS]]}
// CHECK-DAG: [[PROGRESS]] = !{!"llvm.loop.mustprogress"}
