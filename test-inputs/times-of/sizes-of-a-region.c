// What is said of growing sizes is said of the region's own: `rows` is none of `squared`, nor `n` of `summed`. One thread of the host adds up 64 numbers for each,
// one every four cycles, as additions wait for each other: 68 us for a thousand. The device needs no more than some 8 us for a few thousand, so that from some
// number on it is the faster one, which neither is for the sizes of the other region.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident --threads 1 -D n=1000 -D rows=1000 --width 160 | %FileCheck %s

// CHECK: [1] squared
// CHECK: From n = {{[0-9]+}} on, the device is faster.
void squared(int n, const double *a, double *sums) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * 64]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < 64; ++j)
      sum += a[i * 64 + j] * a[i * 64 + j];
    sums[i] = sum;
  }
}

// CHECK: [2] summed
// CHECK: From rows = {{[0-9]+}} on, the device is faster.
void summed(int rows, const double *a, double *sums) {
#pragma omp target teams distribute parallel for map(to : a[0 : rows * 64]) map(from : sums[0 : rows])
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < 64; ++j)
      sum += a[i * 64 + j];
    sums[i] = sum;
  }
}
