// RUN: %cuda | %FileCheck %s
//
// A histogram of bytes in shared memory: which word a thread counts in, the data decide, so that the number of passes is not known. The
// counters are cleared and written back by neighbours on neighbouring words.

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void histogram(int n, const unsigned char *x, unsigned *counts) {
  __shared__ unsigned bins[256];
  int t = __nvvm_read_ptx_sreg_tid_x();
  bins[t] = 0;
  __syncthreads();
  int i = __nvvm_read_ptx_sreg_ctaid_x() * 256 + t;
  if (i < n)
    __atomic_fetch_add(&bins[x[i]], 1u, __ATOMIC_RELAXED);
  __syncthreads();
  __atomic_fetch_add(&counts[t], bins[t], __ATOMIC_RELAXED);
}

// CHECK: kernel 'histogram'
// CHECK: acc0 store shared bins 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc1 load x 1 bytes
// CHECK: stride constant 1 class coalesced sectors 1..2
// CHECK: acc2 atomic shared bins 4 bytes
// CHECK: stride data-dependent '{{.*}}x{{.*}}' class data-dependent{{$}}
// CHECK: acc3 load shared bins 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc4 atomic counts 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: total sectors 5 without-count 0
