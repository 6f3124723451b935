// RUN: %cuda | %FileCheck %s
//
// y = a*x + y with one element a thread: with i = blockIdx.x * blockDim.x + threadIdx.x neighbouring threads are 4 bytes apart. The guard
// holds for all lanes but those behind the end of the arrays, which n decides.
// The twin takes every 8th element: 32 bytes apart, a sector for each thread.

#define __global__ __attribute__((global))

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x();
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void saxpy_every_8th(int n, float a, const float *x, float *y) {
  int i = 8 * (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x());
  if (i < n)
    y[i] = a * x[i] + y[i];
}

// CHECK: kernel 'saxpy' at {{.*}}cuda-guarded-elements.cu:[[#]] (device, spmd
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 1 if {{.*}}active symbolic {{.*}}[lane number]
// CHECK: acc1 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: branch {{.*}}symbolic {{.*}}[lane number]
// CHECK: total sectors 12 without-count 0
// CHECK: assumes 'teams are a multiple of 32 threads wide in x: a warp's threads are neighbours in x'

// CHECK: kernel 'saxpy_every_8th'
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 32 class uncoalesced sectors 32..32
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 32 class uncoalesced sectors 32..32
// CHECK: total sectors 96 without-count 0
