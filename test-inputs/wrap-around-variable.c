// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The variable holds what the last iteration's i was: m - 1 in the first iteration, then i - 1. In the second kernel it is 5, 7, 9, ..: what
// an iteration before the first would have left is the start itself. All lanes agree, so they read neighbours.
//
// ARGS: n: 90
// ARGS: m: 13

void previous(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int before = m - 1;
    for (int i = 0; i < m; ++i) {
      y[t] += x[before * n + t];
      before = i;
    }
  }
}

// CHECK: region 'previous'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*[n]*[m]*[i == 0] + 4*[n]*i - 4*[n] + 4*t
// CHECK-NEXT: stride constant 4 class coalesced

void odd_numbers(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 2 * m + 7]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int j = 5;
    for (int i = 0; i < m; ++i) {
      y[t] += x[t + j];
      j = i * 2 + 7;
    }
  }
}

// CHECK: region 'odd_numbers'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 8*i + 20
// CHECK-NEXT: stride constant 4 class coalesced

// Here the earlier iteration's value was loaded: with neighbours in memory that another iteration may have written, nothing is known but
// that lanes differ.
void loaded(int n, int m, const int *next, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : next[0 : n], x[0 : n]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int before = t;
    for (int i = 0; i < m; ++i) {
      y[t] += x[before];
      before = next[t];
    }
  }
}

// CHECK: region 'loaded'
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|data-dependent}}
