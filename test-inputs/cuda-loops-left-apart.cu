// RUN: %cuda | %FileCheck %s
//
// Loops of unknown length: lanes that have left one make none of its accesses. to_own_end: each lane looks for its own remainder, and lanes
// leave at different times, though all read the same place. round: a counter of 16 bits goes round, from a start that differs.
// guarded: only odd lanes ask whether to leave. In the twins all lanes leave together: by data that all read at one place, or by data of
// their warp.
// ARGS: launch: { teams: 1, threads: 64 }
// ARGS: keys: { type: i32, count: 100, fill: { modulo: 7 } }
// ARGS: x: { type: f32, count: 70000 }

#define __global__ __attribute__((global))

__global__ void to_own_end(const int *keys, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int k = 0;
  while (k < 9 && keys[k] % 4 != t % 4)
    ++k;
  y[t] = k;
}

__global__ void round(const float *x, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  float sum = 0;
  for (unsigned short k = 5 * t; k < 320; k -= 11)
    sum += x[k];
  y[t] = sum;
}

__global__ void guarded(const int *keys, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  float sum = 0;
  for (int k = 0; k < 9; ++k) {
    if (t % 2 == 1)
      if (keys[0] == k - 2)
        break;
    sum += keys[k];
  }
  y[t] = sum;
}

__global__ void together(const int *keys, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int k = 0;
  while (k < 9 && keys[k] != 3)
    ++k;
  y[t] = k;
}

__global__ void with_warp(const int *keys, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  int k = 0;
  while (k < 9 && keys[k] != keys[t / 32])
    ++k;
  y[t] = k;
}

// The first four threads work before they ask: behind the guard, where it holds, it must not count as known for all.
__global__ void behind_guard(const int *keys, float *y) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  float sum = 0;
  for (int k = 0; k < 9; ++k) {
    if (t < 4) {
      y[64 + t] = k;
      if (keys[0] == k - 2)
        break;
    }
    sum += keys[k];
  }
  y[t] = sum;
}

// CHECK: kernel 'to_own_end'
// CHECK: acc0 load keys
// CHECK-NEXT: address
// CHECK-NEXT: stride constant 0 class uniform
// CHECK-NEXT: runs {{.*}} active unknown 'some lanes may leave a loop before others'
// CHECK: kernel 'round'
// CHECK: acc0 load x
// CHECK: runs {{.*}} active unknown
// CHECK: kernel 'guarded'
// CHECK: acc0 load keys
// CHECK: acc1 load keys
// CHECK: runs {{.*}} active unknown
// CHECK: kernel 'together'
// CHECK: acc0 load keys
// CHECK: runs unknown
// CHECK-NOT: active
// CHECK: kernel 'with_warp'
// CHECK: acc0 load keys
// CHECK: runs unknown
// CHECK-NOT: active
// CHECK: acc1 load keys
// CHECK: kernel 'behind_guard'
// CHECK: load keys 4 bytes {{.*}}:67:12
// CHECK-NEXT: address
// CHECK-NEXT: stride constant 0 class uniform
// CHECK-NEXT: runs {{.*}} active unknown 'some lanes may leave a loop before others'
