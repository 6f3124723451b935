// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The distance doubles in each iteration: s = 2^k, and x[t * s] moves by 4 * 2^k bytes, y[t + s] by 4. Halving gives floor(m / 2^k), which is
// as equal in all lanes. Read as natural numbers of 32 bits, t * s wraps, and the distances are what is left of it.
//
// ARGS: n: 90
// ARGS: m: 60

void doubling(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (int s = 1; s < m; s *= 2)
      y[t] += x[t * s];
}

// CHECK: region 'doubling'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t*pow(2, [[NUMBER:[a-z0-9.]+]])
// CHECK-NEXT: stride symbolic 4*pow(2, [[NUMBER]]) class symbolic

void halving(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 1]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (int s = m; s > 0; s /= 2)
      y[t] += x[t + s];
}

// CHECK: region 'halving'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*shr([m], {{[a-z0-9.]+}})
// CHECK-NEXT: stride constant 4 class coalesced

void wrapping(unsigned n, unsigned m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (unsigned t = 0; t < n; ++t)
    for (unsigned s = 1; s < m; s *= 2)
      y[t] += x[t * s];
}

// CHECK: region 'wrapping'
// CHECK: load x 4 bytes
// CHECK: stride per-lane 4*u32({{.*}}*[lane number]{{.*}}) - 4*u32({{.*}}) class symbolic{{$}}
