// RUN: %cuda | %FileCheck %s
//
// A copy of a matrix with one thread for each element, threads in two dimensions. Rows of teams are taken to be a multiple of a warp wide,
// which the report says: then a warp's threads differ in threadIdx.x alone. in[row * n + column] is 4 bytes apart;
// out[column * n + row] is 4*n.
// ARGS: n: 60
// ARGS: launch: { teams: [2, 8], threads: [32, 8] }

#define __global__ __attribute__((global))

__global__ void transpose(int n, const float *in, float *out) {
  int column = __nvvm_read_ptx_sreg_ctaid_x() * 32 + __nvvm_read_ptx_sreg_tid_x();
  int row = __nvvm_read_ptx_sreg_ctaid_y() * 8 + __nvvm_read_ptx_sreg_tid_y();
  if (column < n && row < n)
    out[column * n + row] = in[row * n + column];
}

// CHECK: kernel 'transpose'
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store out 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic{{$}}
// CHECK: assumes 'teams are a multiple of 32 threads wide in x
