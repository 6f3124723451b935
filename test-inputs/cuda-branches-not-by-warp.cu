// RUN: %cuda | %FileCheck %s
//
// The negative twins of cuda-branches.cu: what looks as if a warp's threads agree.
//  - (threadIdx.x + shift) / 32 changes inside a warp unless shift is a multiple of 32, which is not known.
//  - threadIdx.x / 24 changes inside of warps, at lanes that differ from warp to warp.
//  - threadIdx.x / width with a width that is not known may change anywhere.
//  - a value from memory may differ from lane to lane; where all lanes of a warp read one place, warps may still differ.
// ARGS: launch: { teams: 1, threads: 64 }

#define __global__ __attribute__((global))

__global__ void shifted(int shift, int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if ((t + shift) / 32 % 2 == 0)
    y[t] = 1;
}

__global__ void by_24(int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t / 24 % 2 == 0)
    y[t] = 1;
}

__global__ void by_width(int width, int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (t / width == 0)
    y[t] = 1;
}

__global__ void by_data(const int *x, int *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  if (x[t] > 0)
    y[t] = 1;
  if (x[t / 32] > 0)
    y[t] = 2;
}

// CHECK: kernel 'shifted'
// CHECK: active symbolic
// CHECK: branch {{.*}}symbolic {{.*}}[lane number]

// CHECK: kernel 'by_24'
// CHECK: active symbolic
// CHECK: branch {{.*}}symbolic {{.*}}[lane number]

// CHECK: kernel 'by_width'
// CHECK: active symbolic
// CHECK: branch {{.*}}symbolic {{.*}}[lane number]

// CHECK: kernel 'by_data'
// CHECK: acc1 store y 4 bytes
// CHECK: active data-dependent
// CHECK: acc2 load x 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: acc3 store y 4 bytes
// CHECK: active by-warp{{$}}
// CHECK: branch {{.*}}:[[#]]:7 data-dependent
// CHECK: branch {{.*}}:[[#]]:7 by-warp{{$}}
