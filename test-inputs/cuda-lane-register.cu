// RUN: %cuda | %FileCheck %s
//
// The hardware's own number of the lane: x[32 * w + lane] moves by 4 bytes, x[32 * lane] by 128. A condition on it is the same in all
// warps.
// ARGS: w: 1
// ARGS: launch: { teams: 1, threads: 32 }

#define __global__ __attribute__((global))

__global__ void lanes(int w, const float *x, float *y) {
  int lane = __nvvm_read_ptx_sreg_laneid();
  float sum = x[32 * w + lane];
  if (lane < 4)
    sum += x[32 * lane];
  y[32 * w + lane] = sum;
}

// CHECK: kernel 'lanes'
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 128 class uncoalesced sectors 4..4 lines 4..4
// CHECK: active fixed 0-3{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: branch {{.*}}fixed 0-3{{$}}
// CHECK: total sectors 12 without-count 0
