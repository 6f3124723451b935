// RUN: %cuda | %FileCheck %s
//
// A stencil on a row that a team of 128 threads keeps in shared memory with a margin at both ends: all of it moves by 4 bytes. in[i + 4] starts
// 16 bytes behind a line: 5 sectors. The margins are filled by threads 0 to 3 alone: in the first warp lanes 0 to 3, in the others none.
// ARGS: launch: { teams: 2, threads: 128 }

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void stencil(int n, const float *in, float *out) {
  __shared__ float row[128 + 8];
  int t = __nvvm_read_ptx_sreg_tid_x();
  int i = 128 * __nvvm_read_ptx_sreg_ctaid_x() + t;
  row[t + 4] = in[i + 4];
  if (t < 4) {
    row[t] = in[i];
    row[t + 132] = in[i + 132];
  }
  __syncthreads();
  out[i] = row[t] + row[t + 4] + row[t + 8];
}

// CHECK: kernel 'stencil'
// CHECK: acc0 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc1 store shared row 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc2 load in 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: active symbolic not {{\[\[}}lane number] + 32*[warp of row] >= 4]{{$}}
// CHECK: acc3 store shared row 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc6 load shared row 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc7 load shared row 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc8 load shared row 4 bytes
// CHECK: stride constant 4 class conflict-free bank passes 1 of 1{{$}}
// CHECK: acc9 store out 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: branch {{.*}}symbolic
