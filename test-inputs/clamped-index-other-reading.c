// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='default<O2>' -o - | %analyse | %FileCheck %s --check-prefix=OPTIMISED
//
// Looks like clamped-index.c, but no choice takes the least or the greatest of its two values. In the first kernel what is compared is the low
// byte of what is chosen; in the second it is the unsigned reading, by which -1 is above 100, so lane 0 of warp 0 reads x[101]; in the third the
// bounds may be the wrong way round, and then all below `low` are `low`, others `high`; the fourth is an index that wraps round.
//
// ARGS: n: 300
// ARGS: k: 250
// ARGS: low: 200
// ARGS: high: 100

void low_byte(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n + k]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    unsigned char low = i + k;
    int at = low < 16 ? i + k : 16;
    y[i] = x[at];
  }
}

// CHECK: region 'low_byte'
// DEVICE-SAME: (device, spmd
// CHECK: load x 4 bytes
// CHECK-NOT: min(
// CHECK: address [x] {{.*}}*[u8(i + [k]) >= 16]
// CHECK-NOT: min(
// CHECK: store y

void unsigned_reading(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 102]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i - 1;
    at = (unsigned)at < 100u ? at : 100;
    y[i] = x[at + 1];
  }
}

// CHECK: region 'unsigned_reading'
// CHECK: load x 4 bytes
// CHECK-NOT: min(
// CHECK: address [x] {{.*}}*[i >= 1]
// CHECK-NOT: min(
// CHECK: store y

void bounds_may_cross(int n, int low, int high, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i < low ? low : i > high ? high : i;
    y[i] = x[at];
  }
}

// CHECK: region 'bounds_may_cross'
// CHECK: load x 4 bytes
// CHECK-NOT: max(
// CHECK: address [x] - 4*[low]*{{\[\[}}low] <= i] + 4*{{\[\[}}low] <= i]*min({{.*}}) + 4*[low]{{$}}
// CHECK-NOT: max(
// CHECK: store y
// OPTIMISED: region 'bounds_may_cross'
// OPTIMISED-NOT: max(
// OPTIMISED: region 'wrapped'

void wrapped(int n, int k, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at = i - k;
    at = at < 0 ? at + n : at;
    y[i] = x[at];
  }
}

// CHECK: region 'wrapped'
// CHECK: load x 4 bytes
// CHECK-NEXT: address [x] - 4*[n]*{{\[\[}}k] <= i] + 4*[n] + 4*i - 4*[k]{{$}}
// CHECK: store y
