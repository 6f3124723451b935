// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Counters of 8 and 16 bits whose bounds stop them before they wrap: 3, 6, .. 198 are 66 values, 0, 3, .. 252 are 85 (255 ends the loop), and
// a counter is below a bound of its own width. Counting by 3 below a bound that may be 255 or more, it goes round, and
// meets other values on the second way.
//
// ARGS: n: 90
// ARGS: m: 40

void below_200(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 256]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned char c = 3; c < 200; c += 3)
      y[t] += x[t + c];
}

// CHECK: region 'below_200'
// DEVICE-SAME: (device, spmd
// CHECK: loop1 in loop0 sequential c {{.*}}trips 66{{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 12*#c + 12

void below_255(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 256]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned char c = 0; c < 255; c += 3)
      y[t] += x[t + c];
}

// CHECK: region 'below_255'
// CHECK: loop1 in loop0 sequential c {{.*}}trips 85{{$}}

void own_width(int n, unsigned short m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned short c = 0; c < m; c++)
      y[t] += x[t + c];
}

// CHECK: region 'own_width'
// CHECK: loop1 in loop0 sequential c {{.*}}trips [m]{{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*c

void may_go_round(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + 256]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned char c = 0; c < m; c += 3)
      y[t] += x[t + c];
}

// CHECK: region 'may_go_round'
// CHECK: loop1 in loop0 sequential c {{.*}}trips unknown
