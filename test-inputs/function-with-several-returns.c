// RUN: %device | %FileCheck %s
//
// A function that is left in a loop of its own, or earlier, or at its end: behind its call the loop over i goes on in any case, so that what comes there runs in each
// iteration. Which way it was left by is no formula, and the conditions of all ways need not add up to 1.

static inline int least_divisor(int x) {
  if (x < 2)
    return -1;
  if (x % 7 == 0)
    return 7;
  for (int k = 2; k * k <= x; ++k)
    if (x % k == 0)
      return k;
  return x;
}

// CHECK-LABEL: region 'divisors'
// CHECK: load a 8 bytes in loop0
// CHECK: runs 1{{$}}
// CHECK: store b 8 bytes in loop0
// CHECK: runs 1{{$}}
void divisors(int n, const long *a, long *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : b[0 : n])
  for (int i = 0; i < n; ++i) {
    int least = least_divisor(i);
    b[i] = a[i] + least;
  }
}

// Only where it is not 7: that depends on the way.
// CHECK-LABEL: region 'divisors_but_seven'
// CHECK: store b 8 bytes in loop0
// CHECK: runs 1 if under a long condition
void divisors_but_seven(int n, const long *a, long *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i) {
    int least = least_divisor(i);
    if (least != 7)
      b[i] = a[i] + least;
  }
}
