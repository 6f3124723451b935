// RUN: %clang++ -x cuda --cuda-device-only --offload-arch=sm_90 -nocudainc -nocudalib -O2 %load %remarks -S %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %clang++ -x cuda --cuda-device-only --offload-arch=sm_90 -nocudainc -nocudalib -O2 %load -Rpass-missed=ipda -S %s -o %t.s 2>&1 | grep -c remark | %FileCheck %s --check-prefix=MISSED
// RUN: env IPDA_REPORT=%t.yaml %same-result %clang++ -x cuda --cuda-device-only --offload-arch=sm_90 -nocudainc -nocudalib -O2 -S %s
//
// Of 32 lanes 8 store 32 bytes, for which one sector were enough. A missed chance is reported once for each place, and what is well is not: the condition that is the same for all threads of a warp, and the
// access without a bank conflict. The code does not change.

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void sums(int n, const float *x, float *y) {
  __shared__ float tile[32][32];
  int t = __nvvm_read_ptx_sreg_tid_x();
  tile[0][t] = x[t];
  __syncthreads();
  if (n > 3)
    y[t] = tile[t][0];
  if (t % 4 == 0)
    y[t] = 1.0f;
  if (x[t] > 0.0f)
    y[t] = 2.0f;
  for (int k = 0; k < t; ++k)
    y[t] += x[k];
}

// CHECK-DAG: remarks-of-kernels.cu:17:12: remark: load from shared tile has bank conflicts: neighbouring threads are 128 bytes apart; 32 passes a warp instead of 1
// CHECK-DAG: remarks-of-kernels.cu:14:14: remark: store to shared tile (4 bytes): neighbouring threads are 4 bytes apart; conflict-free, 1 pass a warp
// CHECK-DAG: remarks-of-kernels.cu:18:7: remark: every warp is divided: threads 0 4 8 12 16 20 24 28 go one way, then the others the other way
// CHECK-DAG: remarks-of-kernels.cu:19:10: remark: store to arg2 is not coalesced: neighbouring threads are 4 bytes apart; 4 to 5 sectors a warp instead of 1
// CHECK-DAG: remarks-of-kernels.cu:20:7: remark: threads of a warp may go different ways: it is computed from values loaded from memory
// CHECK-DAG: remarks-of-kernels.cu:22:3: remark: threads of a warp may leave the loop one after the other: those with {{.*}} stay
// CHECK-DAG: remarks-of-kernels.cu:11:1: remark: kernel 'sums', SPMD mode: {{.*}}; 1 loop, {{[0-9]+}} accesses to global memory and 2 to shared memory
// MISSED: 5
