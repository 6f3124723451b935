// What teams combine costs a launch more, in numbers and at a launch. 100,000 iterations are 3125 teams of 32 threads: on an H200, 50 us and three times
// 5 us, as 1024 teams combine at a time: 65 us, more than a hundred times what the loop takes. Of three numbers each team leaves 12 bytes: the
// buffer for 1024 teams is larger than 8 KiB and comes from the driver, 87.4 us more. What a single team combines is in its own code.
// The result's own map is of few bytes, for which libomptarget keeps memory: two copies of 5.46 us, and no allocation.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h200 --cpu epyc-milan --present a --present b -D n=100000 --details | %FileCheck %s --check-prefixes=CHECK,TERMS
// RUN: %ipda predict %t.yaml --gpu h200 --cpu epyc-milan --present a --present b -D n=100000 --as-at-launch | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=100000 --details | %FileCheck %s --check-prefix=ESTIMATE

// CHECK: dot,
// CHECK: kernel 65.{{[0-9]+}} us
// CHECK-NEXT: launch
// CHECK-NEXT: transfers 10.91{{[0-9]*}} us
// TERMS: what teams combine (x 1.7)
// TERMS: reduction 65 us
// ESTIMATE: dot,
// ESTIMATE: kernel 65.{{[0-9]+}} us x 1.7
// ESTIMATE: launch.reduction
double dot(const double *a, const double *b, int n) {
  double s = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i];
  return s;
}

// CHECK: three,
// CHECK: kernel 15{{[23]\.[0-9]+}} us
void three(const float *a, float *of, int n) {
  float low = 1e30f, high = -1e30f, sum = 0;
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : low, high, sum) reduction(min : low) reduction(max : high) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    low = a[i] < low ? a[i] : low;
    high = a[i] > high ? a[i] : high;
    sum += a[i];
  }
  of[0] = low, of[1] = high, of[2] = sum;
}

// CHECK: one_team,
// TERMS-NOT: reduction{{ +[0-9]}}
float one_team(const float *a, int n) {
  float s = 0;
#pragma omp target parallel for map(to : a[0 : n]) map(tofrom : s) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += a[i];
  return s;
}
