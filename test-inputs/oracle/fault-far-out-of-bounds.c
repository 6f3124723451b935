// REQUIRES: libomp-device-bc
// RUN: %compile-device -w %s > %t.bc
// An index that leaves an array by far is reported as one of that array, and meets no other: before it and behind it, by kilobytes and by
// as much as a 32-bit index can.
// RUN: echo '{ n: 4, by: 1500, a: { type: f64, count: 1000 }, b: { type: f64, count: 1000 }, c: { type: f64, count: 1000 } }' > %t.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --args %t.yaml 2>&1 | %FileCheck %s --check-prefix=NEAR
// RUN: sed 's/by: 1500/by: -1500/' %t.yaml > %t.front.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --args %t.front.yaml 2>&1 | %FileCheck %s --check-prefix=FRONT
// RUN: sed 's/by: 1500/by: 2147483000/' %t.yaml > %t.far.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --args %t.far.yaml 2>&1 | %FileCheck %s --check-prefix=FAR
// RUN: sed 's/by: 1500/by: -2147483648/' %t.yaml > %t.farthest.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --args %t.farthest.yaml 2>&1 | %FileCheck %s --check-prefix=FARTHEST
// An array of default length grows only so far.
// RUN: echo '{ n: 4, by: 2147483000 }' > %t.default.yaml
// RUN: %not %ipda-trace %t.bc --no-predictions --args %t.default.yaml 2>&1 | %FileCheck %s --check-prefix=DEFAULT
// Inside of the array, nothing is wrong.
// RUN: sed 's/by: 1500/by: 996/' %t.yaml > %t.inside.yaml
// RUN: %ipda-trace %t.bc --no-predictions --args %t.inside.yaml | %FileCheck %s --check-prefix=INSIDE

void shifted(int n, int by, const double *a, double *b, const double *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], c[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    b[i + by] = a[i] + c[i];
}

// 8 * 1500, of 8 * 1000 bytes.
// NEAR: fault-far-out-of-bounds.c:23:15: the access writes 8 bytes at byte 12000 of 'b', which has 8000 bytes
// FRONT: the access writes 8 bytes at byte -12000 of 'b', which has 8000 bytes
// 8 * 2147483000.
// FAR: the access writes 8 bytes at byte 17179864000 of 'b', which has 8000 bytes
// 8 * -2147483648.
// FARTHEST: the access writes 8 bytes at byte -17179869184 of 'b', which has 8000 bytes
// DEFAULT: the access writes 8 bytes at byte 17179864000 of 'b', which has 524288 bytes
// One warp, once at each of three places.
// INSIDE: 3 accesses of warps
