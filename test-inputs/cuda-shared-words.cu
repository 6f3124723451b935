// RUN: %cuda | %FileCheck %s
//
// Shared memory has 32 banks of 4 bytes: a warp's 32 doubles are 64 words, two passes at least, and two are enough for neighbours.
// Doubles in columns of 32 are 256 bytes apart, all in banks 0 and 1: 32 passes, one a lane. Words 8 bytes apart use every other
// bank twice: 2 passes. Bytes side by side share words: 1 pass. One word for all: 1 pass.
// The columns that are read, nobody has written: what is in them, the launch decides.
// ARGS: launch: { teams: 1, threads: 32 }
// ORACLE: depends on the launch

#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

__global__ void words(const double *in, double *out, float *f, char *c) {
  __shared__ double a[1024];
  __shared__ float b[1024];
  __shared__ char d[1024];
  int t = __nvvm_read_ptx_sreg_tid_x();
  a[t] = in[t];
  b[2 * t] = f[t];
  d[t] = c[t];
  __syncthreads();
  out[t] = a[32 * t];
  f[t] = b[0];
}

// CHECK: kernel 'words'
// CHECK: store shared a 8 bytes
// CHECK: stride constant 8 class conflict-free bank passes 2 of 2{{$}}
// CHECK: store shared b 4 bytes
// CHECK: stride constant 8 class bank-conflict bank passes 2 of 1{{$}}
// CHECK: store shared d 1 bytes
// CHECK: stride constant 1 class conflict-free bank passes 1 of 1{{$}}
// CHECK: load shared a 8 bytes
// CHECK: stride constant 256 class bank-conflict bank passes 32 of 2{{$}}
// CHECK: load shared b 4 bytes
// CHECK: stride constant 0 class uniform bank passes 1 of 1{{$}}
