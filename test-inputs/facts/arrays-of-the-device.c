// Arrays that the device has itself are different ones for every compiler: their sums leave the inner loop without a guard, and without the plugin.
// REQUIRES: libomp-device-bc
// RUN: %ptx-with-runtime-80 %s | %FileCheck %s
// RUN: %compile-device %s | %analyse | %FileCheck %s --check-prefix=REPORT
//
// REPORT-NOT: registers
#define N 1000
#pragma omp begin declare target
static float A[N][N], x[N], y[N];
#pragma omp end declare target

// CHECK-LABEL: .entry {{.*}}_rows_l
// CHECK: ld.global{{(.nc)?}}.f32
// CHECK-NOT: st.global
// CHECK: fma.rn.f32
// CHECK-NOT: st.global
// CHECK: bra
void rows(void) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[i] += A[i][j] * x[j];
}
