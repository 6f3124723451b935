// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Natural numbers of 32 bits: t * m + j can wrap, unless the program says how large n and m are at most: below 100000 * 1000, plus 1000. With
// m above 0, t % m is t - m * floor(t / m).
//
// ARGS: n: 90
// ARGS: m: 20

void bounded(unsigned n, unsigned m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (unsigned t = 0; t < n; ++t) {
    __builtin_assume(m < 1000);
    __builtin_assume(n < 100000);
    for (unsigned j = 0; j < m; ++j)
      y[t] += x[t * m + j];
  }
}

// CHECK: region 'bounded'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t*[m] + 4*j
// CHECK-NEXT: stride symbolic 4*[m] class symbolic

void unbounded(unsigned n, unsigned m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (unsigned t = 0; t < n; ++t)
    for (unsigned j = 0; j < m; ++j)
      y[t] += x[t * m + j];
}

// CHECK: region 'unbounded'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*u32(j + t*[m])
// CHECK-NEXT: stride per-lane 4*u32({{.*}}[m]*[lane number]{{.*}}) - 4*u32({{.*}}) class symbolic{{$}}

void wrapped_index(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t) {
    __builtin_assume(m > 0);
    y[t] = x[t % m];
  }
}

// CHECK: region 'wrapped_index'
// CHECK: load x 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[m] + 4 every [m] lanes

// A divisor of zero is undefined: not negative, m is above 0.
void not_negative(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m + 1]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t) {
    __builtin_assume(m >= 0);
    y[t] = x[t % m];
  }
}

// CHECK: region 'not_negative'
// CHECK: load x 4 bytes
// CHECK: stride row-ends 4 at row ends -4*[m] + 4 every [m] lanes

void maybe_negative(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : m + 2]) map(from : y[0 : n])
  for (int t = 0; t < n; ++t) {
    __builtin_assume(m >= -1);
    y[t] = x[t % m];
  }
}

// CHECK: region 'maybe_negative'
// CHECK: load x 4 bytes
// CHECK: stride per-lane 4*rem({{.*}}, [m])
