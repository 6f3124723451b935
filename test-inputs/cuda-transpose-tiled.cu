// RUN: %cuda | %FileCheck %s
//
// The transpose by tiles in shared memory: both global accesses move by 4 bytes. Rows of the tile are written, columns are read: words that are
// 128 bytes apart are all in one of 32 banks of 4 bytes, so a warp needs 32 passes.
// The twin's rows have one word more: 132 bytes = 33 words apart, bank 33*t mod 32 = t, no conflict.
// ARGS: n: 64
// ARGS: launch: { teams: [2, 2], threads: [32, 32] }

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void transpose(int n, const float *in, float *out) {
  __shared__ float tile[32][32];
  int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  int bx = 32 * __nvvm_read_ptx_sreg_ctaid_x(), by = 32 * __nvvm_read_ptx_sreg_ctaid_y();
  tile[ty][tx] = in[(by + ty) * n + bx + tx];
  __syncthreads();
  out[(bx + ty) * n + by + tx] = tile[tx][ty];
}

__global__ void transpose_padded(int n, const float *in, float *out) {
  __shared__ float tile[32][33];
  int tx = __nvvm_read_ptx_sreg_tid_x(), ty = __nvvm_read_ptx_sreg_tid_y();
  int bx = 32 * __nvvm_read_ptx_sreg_ctaid_x(), by = 32 * __nvvm_read_ptx_sreg_ctaid_y();
  tile[ty][tx] = in[(by + ty) * n + bx + tx];
  __syncthreads();
  out[(bx + ty) * n + by + tx] = tile[tx][ty];
}

// CHECK: kernel 'transpose'
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store shared tile 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc2 load shared tile 4 bytes
// CHECK: stride constant 128 class bank-conflict bank passes 32 of 1{{$}}
// CHECK: acc3 store out 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: branch
// CHECK: total sectors 8 without-count 0

// CHECK: kernel 'transpose_padded'
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store shared tile 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc2 load shared tile 4 bytes
// CHECK: stride constant 132 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc3 store out 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: branch
// CHECK: total sectors 8 without-count 0
