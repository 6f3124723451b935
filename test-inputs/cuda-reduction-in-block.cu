// RUN: %cuda | %FileCheck %s
//
// Sums of 256 elements in shared memory. In the first kernel threads 0 .. s-1 work, neighbours on neighbouring words: which lanes that are is
// the same for all lanes while s is 32 or more, and depends on s below. In the second every (2*s)-th thread works:
// all warps are divided from the start. In both the loop itself ends for all threads together.
// ARGS: launch: { teams: 2, threads: 256 }

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void sum_of_halves(const float *x, float *sums) {
  __shared__ float part[256];
  int t = __nvvm_read_ptx_sreg_tid_x();
  part[t] = x[256 * __nvvm_read_ptx_sreg_ctaid_x() + t];
  for (int s = 128; s > 0; s >>= 1) {
    __syncthreads();
    if (t < s)
      part[t] += part[t + s];
  }
  if (t == 0)
    sums[__nvvm_read_ptx_sreg_ctaid_x()] = part[0];
}

__global__ void sum_of_neighbours(const float *x, float *sums) {
  __shared__ float part[256];
  int t = __nvvm_read_ptx_sreg_tid_x();
  part[t] = x[256 * __nvvm_read_ptx_sreg_ctaid_x() + t];
  for (int s = 1; s < 256; s *= 2) {
    __syncthreads();
    if (t % (2 * s) == 0)
      part[t] += part[t + s];
  }
  if (t == 0)
    sums[__nvvm_read_ptx_sreg_ctaid_x()] = part[0];
}

// CHECK: kernel 'sum_of_halves'
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store shared part 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: runs 1{{$}}
// CHECK: acc2 load shared part 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: active symbolic {{.*}}[lane number]
// CHECK: acc4 store shared part 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc5 load shared part 4 bytes at
// CHECK: stride constant 0 class uniform bank passes 1 of 1{{$}}
// CHECK: acc6 store sums 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1
// CHECK: loop-end in loop0 {{.*}}uniform{{$}}
// CHECK: branch in loop0 {{.*}}symbolic {{.*}}[lane number]
// CHECK: branch {{.*}}symbolic {{.*}}[lane number] + 32*[warp of row] == 0]
// CHECK: total sectors 5 without-count 0

// CHECK: kernel 'sum_of_neighbours'
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store shared part 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: runs 1{{$}}
// CHECK: acc2 load shared part 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: active symbolic {{.*}}[lane number]
// CHECK: acc4 store shared part 4 bytes in loop0
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc5 load shared part 4 bytes at
// CHECK: stride constant 0 class uniform bank passes 1 of 1{{$}}
// CHECK: acc6 store sums 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1
// CHECK: loop-end in loop0 {{.*}}uniform{{$}}
// CHECK: branch in loop0 {{.*}}symbolic {{.*}}[lane number]
// CHECK: branch {{.*}}symbolic {{.*}}[lane number] + 32*[warp of row] == 0]
// CHECK: total sectors 5 without-count 0
