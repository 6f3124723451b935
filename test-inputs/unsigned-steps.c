// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A natural counter that steps by 4 could pass m at the end of the width and go round: over the same values again, for ever. C lets the
// compiler suppose that a loop without visible effects ends, so it does not: ceil(m / 4) iterations. Stepping by
// 7, the second round has other values, and the loop may end there: nothing is known.
//
// ARGS: n: 90
// ARGS: m: 41

void by_four(int n, unsigned m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 4]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned c = 0; c < m; c += 4)
      y[t] += x[(unsigned long)t + c];
}

// CHECK: region 'by_four'
// DEVICE-SAME: (device, spmd
// CHECK: loop1 in loop0 sequential c {{.*}}trips floor(([m] + 3) / 4){{$}}
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 16*#c
// CHECK-NEXT: stride constant 4 class coalesced

void by_seven(int n, unsigned m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + m + 4]) map(tofrom : y[0 : n])
  for (int t = 0; t < n; ++t)
    for (unsigned c = 0; c < m; c += 7)
      y[t] += x[(unsigned long)t + c];
}

// CHECK: region 'by_seven'
// CHECK: loop1 in loop0 sequential c {{.*}}trips unknown
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] + 4*t + 4*u32(7*#c)
