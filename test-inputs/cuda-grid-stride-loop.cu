// RUN: %cuda | %FileCheck %s
//
// A thread goes on by as many elements as the grid has threads: in each turn neighbouring threads are 4 bytes apart.
// The twin gives each thread a block of k elements: in each turn they are 4*k bytes apart.

#define __global__ __attribute__((global))

__global__ void grid_stride(int n, float *x) {
  int step = __nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  for (int i = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x(); i < n; i += step)
    x[i] = 2.0f * x[i];
}

__global__ void blocks(int k, float *x) {
  int first = k * (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x());
  for (int j = 0; j < k; ++j)
    x[first + j] = 2.0f * x[first + j];
}

// CHECK: kernel 'grid_stride'
// CHECK: acc0 load x 4 bytes in loop0
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store x 4 bytes in loop0
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: loop-end in loop0 {{.*}}symbolic

// CHECK: kernel 'blocks'
// CHECK: acc0 load x 4 bytes in loop0
// CHECK: stride symbolic 4*[k] class symbolic{{$}}
// CHECK: runs [k]{{$}}
// CHECK: acc1 store x 4 bytes in loop0
// CHECK: stride symbolic 4*[k] class symbolic{{$}}
// CHECK: loop-end in loop0 {{.*}}uniform{{$}}
