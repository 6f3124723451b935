// What the guard of changed loops proves is given to the optimiser as facts, of their accesses alone: which arrays have no byte in common, and which nobody
// writes. A sum in memory stays in a register through the inner loop, and what is only read comes by the read-only path.
// REQUIRES: libomp-device-bc
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %ptx-with-runtime-75 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ptx-with-runtime-80 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ptx-with-runtime-90 %s | %FileCheck %s --check-prefix=PTX
// RUN: %ipda-oracle transform --optimised %s
// RUN: %ipda-oracle transform --optimised --target amdgcn %s
//
// ARGS: n: 13
// ARGS: m: 21

// The loop as it was written has no facts, the changed one has them.
// CHECK-LABEL: define internal void @{{.*}}_product_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-DAG: store float 0.000000e+00, ptr {{.*}}, !alias.scope [[C:![0-9]+]], !noalias [[READ:![0-9]+]]
// CHECK-DAG: load float, ptr {{.*}}, !invariant.load !{{[0-9]+}}, !alias.scope [[A:![0-9]+]], !noalias [[C]]
// CHECK-DAG: load float, ptr {{.*}}, !invariant.load !{{[0-9]+}}, !alias.scope [[B:![0-9]+]], !noalias [[C]]
// CHECK-DAG: load float, ptr %{{[0-9]+}}, align 4, !tbaa !{{[0-9]+$}}
// CHECK-DAG: [[C]] = !{[[OF_C:![0-9]+]]}
// CHECK-DAG: [[READ]] = !{[[OF_A:![0-9]+]], [[OF_B:![0-9]+]]}
// CHECK-DAG: [[OF_C]] = distinct !{[[OF_C]], [[DOMAIN:![0-9]+]]}
// CHECK-DAG: [[OF_A]] = distinct !{[[OF_A]], [[DOMAIN]]}
// CHECK-DAG: [[OF_B]] = distinct !{[[OF_B]], [[DOMAIN]]}
//
// Numbers by which accesses were found do not stay.
// CHECK-NOT: ipda.access
//
// PTX-LABEL: .entry {{.*}}_product_l
// PTX: ld.global.nc.f32
// PTX: ld.global.nc.f32
// PTX-NOT: st.global
// PTX: fma.rn.f32
// PTX-NOT: st.global
// PTX: bra
void product(int n, int m, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i * m + j] = 0;
      for (int k = 0; k < m; k++)
        C[i * m + j] += A[i * m + k] * B[k * m + j];
    }
}
