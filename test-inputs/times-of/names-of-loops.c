// Loops are called by their counters in expressions, which may have names as those that the compiler makes for loops without one. A row of `a` has m = 4096
// doubles and is added up `repeats` = 8 times: 8 * 4096 = 32,768 loads of it in an iteration, in each of which 32 lanes touch 32 rows. One part of the program
// must not take another's number for an unknown value, which would make it 128 or random. All of it is 8 * 4096 * 4096 bytes = 134.2 MB.
// What a launch predicts is the same.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D repeats=8 --width 200 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D repeats=8 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D repeats=8 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] counters_by_depth
// CHECK: a {{ *}}load {{ *}}32 {{ *}}32768 {{ *}}134.22 MB
// CHECK-NOT: loop {{[^ ]+}} runs
void counters_by_depth(const double *a, double *c, int n, int m, int repeats) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int loop0 = 0; loop0 < repeats; ++loop0)
      for (int loop1 = 0; loop1 < m; ++loop1)
        sum += a[i * m + loop1] * (loop0 + 1);
    c[i] = sum;
  }
}

// CHECK: [2] counters_from_three
// CHECK: a {{ *}}load {{ *}}32 {{ *}}32768 {{ *}}134.22 MB
// CHECK-NOT: loop {{[^ ]+}} runs
void counters_from_three(const double *a, double *c, int n, int m, int repeats) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : c[0 : n])
  for (int loop5 = 0; loop5 < n; ++loop5) {
    double sum = 0;
    for (int loop4 = 0; loop4 < repeats; ++loop4)
      for (int loop3 = 0; loop3 < m; ++loop3)
        sum += a[loop5 * m + loop3] * (loop4 + 1);
    c[loop5] = sum;
  }
}
