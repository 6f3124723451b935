// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// In iteration i the counter k has been raised by 0, 1, .. i: it is i*(i+1)/2, the same in all lanes, so that a row-by-row walk over a packed
// triangle moves by 4 bytes between neighbouring lanes. In the second kernel the step is the thread's own number: k = i*t, and
// x[k] is 4*i bytes further in the next lane. In sum-of-narrow-counter.c the counter can wrap.
//
// ARGS: n: 90
// ARGS: m: 13
// ARGS: c: 6

void triangle(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    for (int i = 0; i < m; ++i) {
      k += i;
      y[t] += x[t + k];
    }
  }
}

// CHECK: region 'triangle'
// DEVICE-SAME: (device, spmd
// CHECK: loop1 in loop0 sequential i {{.*}}trips [m]{{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*floor((i + i^2) / 2)
// CHECK-NEXT: stride constant 4 class coalesced

void own_step(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    for (int i = 0; i < m; ++i) {
      y[t] += x[k];
      k += t;
    }
  }
}

// CHECK: region 'own_step'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*{{(t\*i|i\*t)}}
// CHECK-NEXT: stride symbolic 4*i class symbolic

// One counter over a whole triangular nest: before row i it has counted 1 + 2 + .. + i.
void packed(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j)
        y[t] += x[t + k++];
  }
}

// CHECK: region 'packed'
// CHECK: loop2 in loop1 sequential j {{.*}}trips i + 1{{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*j + 4*floor((i + i^2) / 2)
// CHECK-NEXT: stride constant 4 class coalesced

// Raised by 2 while i is below c: min(i, c) times, and never where c is below 0.
void in_part(int n, int m, int c, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 2 * m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t) {
    int k = 0;
    for (int i = 0; i < m; ++i) {
      y[t] += x[t + k];
      if (i < c)
        k += 2;
    }
  }
}

// CHECK: region 'in_part'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 8*min(i, max([c], 0))
// CHECK-NEXT: stride constant 4 class coalesced
