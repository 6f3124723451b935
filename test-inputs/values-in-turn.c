// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Buffers taken in turn: swapped variables, a variable that is one minus itself, and one that goes round three. In iteration i they are
// a function of i mod 2 or i mod 3, the same in all lanes. In the last kernel the start is any number, and only the first
// remainder brings it below 3: until then the sum of start and i says nothing.
//
// ARGS: n: 90
// ARGS: m: 13
// ARGS: s: 7

void swapped(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 2 * n]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int here = 0, there = 1;
    for (int i = 0; i < m; ++i) {
      y[t] += x[here * n + t];
      int other = here;
      here = there;
      there = other;
    }
  }
}

// CHECK: region 'swapped'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*[2*floor(i / 2) + 1 == i] + 4*t
// CHECK-NEXT: stride constant 4 class coalesced

void one_minus(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 2 * n]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int here = 0;
    for (int i = 0; i < m; ++i) {
      y[t] += x[here * n + t];
      here = 1 - here;
    }
  }
}

// CHECK: region 'one_minus'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*i - 8*[n]*floor(i / 2) + 4*t
// CHECK-NEXT: stride constant 4 class coalesced

void round_three(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 3 * n]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int here = 0, there = 2;
    for (int i = 0; i < m; ++i) {
      y[t] += x[here * n + t] + x[there * n + t];
      here = (here + 1) % 3;
      if (++there == 3)
        there = 0;
    }
  }
}

// CHECK: region 'round_three'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*i - 12*[n]*floor(i / 3) + 4*t
// CHECK-NEXT: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*i - 12*[n]*floor((i + 2) / 3) + 8*[n] + 4*t
// CHECK-NEXT: stride constant 4 class coalesced

void any_start(int n, int m, int s, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * (s + 3)]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int here = s;
    for (int i = 0; i < m; ++i) {
      y[t] += x[here * n + t];
      here = (here + 1) % 3;
    }
  }
}

// CHECK: region 'any_start'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*[here] + 4*t
// CHECK-NEXT: stride constant 4 class coalesced
