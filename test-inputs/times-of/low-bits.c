// `q & (stride - 1)` is q's rest by a stride that is a power of 2: what a launch predicts is what is predicted with numbers. With a stride of 1024 the inner
// loop runs 511.5 iterations on average. A launch took 128 for it. The integer units take 472 us for all warps (M), one after another the warps of a multiprocessor
// wait 436 us (P), of which they issue instructions for 11 %, 50 us (D): T = P + D / (1 - M / T) * M / T has the solution 608, which is at most 6 % longer than what is found.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4194304 -D stride=1024 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4194304 -D stride=1024 --as-at-launch | %FileCheck %s
// CHECK: butterfly
// CHECK: kernel 588.{{[89][0-9]*}} us
void butterfly(const float *a, float *b, int n, int stride) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : b[0 : n])
  for (int q = 0; q < n; ++q) {
    float sum = 0;
    for (int j = 0; j < (q & (stride - 1)); ++j)
      sum += a[j];
    b[q] = sum;
  }
}
