// Butterflies: blocks of `2 * half` numbers, in whose first half are the ones and in whose second half their partners. Both halves lie `half` apart as rows of a
// stencil do, but no thread comes to what another one has as a partner: each of the 268,435,456 floats is read once and written once, 2 * 4 * 268,435,456 bytes =
// 2.147 GB, whether a place is made by division, of bits, or of two loops. (As if the second halves were the first ones of others, 1.61 GB.) A stage
// that writes elsewhere reads and writes as much of each of two arrays, 4.295 GB; its 2 * 1024 factors, which each block goes through anew, lie in the L2. (As if
// each thread had factors of its own, 6.05 GB.)
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D n=268435456 -D half=1024 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D n=268435456 -D half=1024 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D n=268435456 -D half=1024 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] by_division
// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void by_division(int n, int half, float *x, float scale) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n / 2; i++) {
    int j = i / half * 2 * half + i % half;
    float one = x[j], other = x[j + half];
    x[j] = one + scale * other;
    x[j + half] = one - scale * other;
  }
}

// CHECK: [2] by_bits
// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void by_bits(int n, int half, float *x, float scale) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n / 2; i++) {
    int k = i & (half - 1), j = ((i - k) << 1) + k;
    float one = x[j], other = x[j + half];
    x[j] = one + scale * other;
    x[j + half] = one - scale * other;
  }
}

// CHECK: [3] by_loops
// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void by_loops(int n, int half, float *x, float scale) {
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : x[0 : n])
  for (int block = 0; block < n / 2 / half; block++)
    for (int k = 0; k < half; k++) {
      float *at = x + block * 2 * half + k;
      float one = at[0], other = at[half];
      at[0] = one + scale * other;
      at[half] = one - scale * other;
    }
}

// CHECK: [4] stage
// CHECK: memory bytes 4.{{29|30|31}}{{[0-9]*}} GB
void stage(int n, int half, const float *restrict re, const float *restrict im, float *restrict to_re, float *restrict to_im, const float *restrict factors) {
#pragma omp target teams distribute parallel for map(to : re[0 : n], im[0 : n], factors[0 : 2 * half]) map(from : to_re[0 : n], to_im[0 : n])
  for (int i = 0; i < n / 2; i++) {
    int k = i & (half - 1), j = ((i - k) << 1) + k;
    float c = factors[2 * k], s = factors[2 * k + 1];
    float x = re[i] - re[i + n / 2], y = im[i] - im[i + n / 2];
    to_re[j] = re[i] + re[i + n / 2];
    to_im[j] = im[i] + im[i + n / 2];
    to_re[j + half] = x * c - y * s;
    to_im[j + half] = x * s + y * c;
  }
}

// The twin with rows above: the place `half` further is that of another thread, and comes once.
// CHECK: [5] rows
// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void rows(int n, int half, const float *restrict x, float *restrict to) {
#pragma omp target teams distribute parallel for collapse(2) map(to : x[0 : n]) map(from : to[0 : n])
  for (int block = 0; block < n / half - 1; block++)
    for (int k = 0; k < half; k++) {
      const float *at = x + block * half + k;
      to[block * half + k] = at[0] - at[half];
    }
}
