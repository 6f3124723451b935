// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Loops with two exits. In the first kernel both tests are on k, so it is known where each would leave: by the test k*3 > c in iteration
// floor(c/3) + 1, by the bound in iteration m, and the earlier one does. What is found, and where, is equal in all lanes. In the second
// kernel one test is two comparisons. In the third what ends the loop was loaded, and the last k is each thread's own.
//
// ARGS: n: 90
// ARGS: m: 20
// ARGS: c: 30
// ARGS: q: 9

void first_above(int n, int m, int c, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 7]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0, shift = 0;
    for (; k < m; ++k)
      if (k * 3 > c) {
        shift = 7;
        break;
      }
    y[t] = x[t + shift] + x[t + k];
  }
}

// CHECK: region 'first_above'
// DEVICE-SAME: (device, spmd
// CHECK: trips unknown 'at most min([m], max(floor([c] / 3) + 1, 0) + 1): the loop can also be left elsewhere'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*min(max(floor([c] / 3) + 1, 0), max([m], 0))
// CHECK-NEXT: stride constant 4 class coalesced

void two_bounds(int n, int m, int q, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (int k = 0; k < m && k < q; ++k)
      y[t] += x[t + k * n];
}

// CHECK: region 'two_bounds'
// CHECK: loop1 in loop0 sequential k {{.*}}trips min([m], [q]){{$}}

void loaded_end(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    while (k < m && x[t + k] > 0.5f)
      ++k;
    y[t] = x[t + k];
  }
}

// CHECK: region 'loaded_end'
// CHECK: trips unknown 'at most [m]: the loop can also be left elsewhere'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from x' class data-dependent{{$}}

// The test k != c never ends the loop where c is below 0: read without a sign, c is greater than any m then. The last k is the least of the
// two, one for all lanes.
void first_equal(int n, int m, int c, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    for (; k < m; ++k)
      if (k == c)
        break;
    y[t] = x[t + k];
  }
}

// CHECK: region 'first_equal'
// CHECK: trips min([m], u32([c])){{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*max(min([m], u32([c])), 0){{$}}
// CHECK-NEXT: stride constant 4 class coalesced

// A step that the outer loop gives.
void sieve(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (int i = 0; i < m; ++i)
      for (int j = i; j < m; j += i + 1)
        y[t] += x[t + j * n];
}

// CHECK: region 'sieve'
// CHECK: loop2 in loop1 sequential {{.*}}trips floor([m] / (i + 1)){{$}}
