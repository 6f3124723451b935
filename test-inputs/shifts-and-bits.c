// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The complement ~t is -1 - t: neighbours, downwards. Shifts by s, numbers of bits, of zeros, bytes in another order, |s|: whatever they are, they are
// equal in all lanes where s is. The number of bits of t itself is not.
//
// ARGS: n: 90
// ARGS: s: 5

void complement(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t)
    y[t] = x[~t + n];
}

// CHECK: region 'complement'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n] - 4*t - 4
// CHECK-NEXT: stride constant -4 class coalesced

void equal_shifts(int n, int s, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 200]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t)
    y[t] = x[t + (1 << s)] + x[t + (s >> 1)] + x[t + __builtin_abs(s)];
}

// CHECK: region 'equal_shifts'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*floor([s] / 2)
// CHECK-NEXT: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*max([s], -[s])
// CHECK-NEXT: stride constant 4 class coalesced

void counted_bits(int n, unsigned s, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 100]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t)
    y[t] = x[t + __builtin_popcount(s)] + x[t + (__builtin_bswap32(s) & 15)] +
           x[__builtin_popcount(t)];
}

// CHECK: region 'counted_bits'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: load x 4 bytes
// CHECK: stride unknown 'it is computed from the thread's own iteration in a way that is not followed'
