// RUN: %cuda | %FileCheck %s
//
// Which threads of a warp agree on a condition: a warp is 32 threads with neighbouring numbers that begin at a multiple of 32.
//  - threadIdx.x / 32 is one number in a warp: warps differ, their threads do not. So it is of (threadIdx.x & 32).
//  - threadIdx.x % 2 divides every warp in lanes 0, 2, 4, ... and the others; a store in it is made by 16 lanes, 8 bytes apart:
//    all 4 sectors of 128 bytes for 64 bytes, which 2 could hold.
//  - threadIdx.x % 32 < 8 holds for lanes 0 to 7: 32 bytes, 1 sector.
//  - blockIdx.x is one number in a team.
// ARGS: launch: { teams: 1, threads: 64 }

#define __global__ __attribute__((global))

__global__ void by_warp(int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t / 32 % 2 == 0)
    y[t] = 1;
  if (t & 32)
    y[t] = 2;
}

__global__ void by_lane(int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t % 2 == 0)
    y[t] = 1;
}

__global__ void first_eight(int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t % 32 < 8)
    y[t] = 1;
}

__global__ void by_team(int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (__nvvm_read_ptx_sreg_ctaid_x() % 2 == 0)
    y[t] = 1;
}

// CHECK: kernel 'by_warp'
// CHECK: acc0 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: active by-warp{{$}}
// CHECK: acc1 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: active by-warp{{$}}
// CHECK: branch {{.*}}:[[#]]:7 by-warp{{$}}
// CHECK: branch {{.*}}:[[#]]:7 by-warp{{$}}

// CHECK: kernel 'by_lane'
// CHECK: stride constant 4 class strided sectors 4..5 lines 1..2
// CHECK: active fixed 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30{{$}}
// CHECK: branch {{.*}}fixed 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30{{$}}

// CHECK: kernel 'first_eight'
// CHECK: stride constant 4 class coalesced sectors 1..2 lines 1..2
// CHECK: active fixed 0-7{{$}}
// CHECK: branch {{.*}}fixed 0-7{{$}}
// CHECK: total sectors 1 without-count 0

// CHECK: kernel 'by_team'
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: branch {{.*}}uniform{{$}}
