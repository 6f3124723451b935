// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// As in sum-of-counter.c, but the counter has 8 bits and starts at the thread's own number: it wraps, and no single distance holds between
// lanes on both sides of the wrap.
//
// ARGS: n: 300
// ARGS: m: 13

void narrow(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 256]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    unsigned char k = t;
    for (int i = 0; i < m; ++i) {
      k += i;
      y[t] += x[k];
    }
  }
}

// CHECK: region 'narrow'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK: stride per-lane 4*u8({{.*}}[lane number]{{.*}}) - 4*u8({{.*}}) class symbolic{{$}}
// CHECK-NOT: load x
