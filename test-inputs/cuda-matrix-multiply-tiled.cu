// RUN: %cuda | %FileCheck %s
//
// A matrix product by tiles of 32 x 32: threads with neighbouring threadIdx.x compute neighbouring columns. The loads of A and B and the store
// of C move by 4 bytes; inside, a[ty][k] is one word for the warp, and b[k][tx] is neighbouring words: no conflicts.
// ARGS: n: 64
// ARGS: launch: { teams: [2, 2], threads: [32, 32] }

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void multiply(int n, const float *A, const float *B, float *C) {
  __shared__ float a[32][32], b[32][32];
  int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  int row = 32 * __nvvm_read_ptx_sreg_ctaid_y() + ty, column = 32 * __nvvm_read_ptx_sreg_ctaid_x() + tx;
  float sum = 0.0f;
  for (int tile = 0; tile < n / 32; ++tile) {
    a[ty][tx] = A[row * n + 32 * tile + tx];
    b[ty][tx] = B[(32 * tile + ty) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      sum += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  C[row * n + column] = sum;
}

// CHECK: kernel 'multiply'
// CHECK: acc0 load A 4 bytes in loop0
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store shared a 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc2 load B 4 bytes in loop0
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store shared b 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc4 load shared a 4 bytes in loop1
// CHECK: stride constant 0 class uniform bank passes 1 of 1{{$}}
// CHECK: acc5 load shared b 4 bytes in loop1
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc6 store C 4 bytes at
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: loop-end in loop0 {{.*}}uniform{{$}}
// CHECK: loop-end in loop1 {{.*}}uniform{{$}}
