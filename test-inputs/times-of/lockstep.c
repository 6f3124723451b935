// A product of matrices in double. Where a launch has as many products as make half of the GPU's threads four times over (135,168 * 4 = 540,672 on the
// H100), a thread takes four rows in lockstep: it loads an element of a for each of them, and one of b for all.
//
// n = m = l = 4096: 16.8 M places, 4 rows each: 4096 * 4096 / 4 / 32 = 131,072 groups of a warp's. In each, a is loaded 4 * 4096 = 16,384 times, of which
// all lanes want the same sector, and b 4096 times, 8 sectors each. All of it are 4096^3 = 68.7 G multiplications with additions. L1 is asked for
// (16,384 + 8 * 4096) sectors by a group, 1.57 MB, and for 8 * 4 * 3 of c's more; one row at a time it were 2.4 times as many.
// b is 134 MB and does not fit into the L2: it is gone through anew by all threads that run at a time, 792 teams of 128, that is in 16.8 M / 4 / 792 / 128 = 41
// turns of 134 MB, less what the L2 keeps: at most 5.9 GB with the other two, and at least the 537 MB of all three and what is stored. One row at a time
// these were four times as many turns.
// n = m = l = 100: 10,000 places are too few. Each is a thread's own: 313 warps, in which both are loaded 100 times.
// n = 100000, m = 8, l = 64: 800,000 places are enough, and so are the 100,000 rows. n = 8, m = 100000: four times four rows there are not, and a thread takes one.
// In the twin the L2 is asked for all there is: no load is of the same place for several rows, and nothing is taken together.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D l=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D l=4096 --roofline | %FileCheck %s --check-prefix=WORK
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=100 -D m=100 -D l=100 --details | %FileCheck %s --check-prefix=FEW
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=100000 -D m=8 -D l=64 --details | %FileCheck %s --check-prefix=MANY
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=8 -D m=100000 -D l=64 --details | %FileCheck %s --check-prefix=SHORT
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D l=4096 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 -D m=4096 -D l=4096 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=100 -D m=100 -D l=100 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=100 -D m=100 -D l=100 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

#include <stddef.h>

// CHECK-LABEL: [1] gemm
// CHECK: L1 bytes of a warp 1.57{{[0-9]*}} MB
// CHECK: memory bytes {{([1-5]\.[0-9]+ GB|5[4-9][0-9]\.|[6-9][0-9][0-9]\.)}}
// CHECK: warp iterations 131072
// CHECK: a load 1 16384 134.22 MB
// CHECK: b load 8 4096 134.22 MB
// CHECK: c load 8 4 134.22 MB
// WORK: gemm:{{[0-9]+}} {{.*}} 68.7 G
// FEW-LABEL: [1] gemm
// FEW: warp iterations 313
// FEW: a load 1 100
// FEW: b load 8 100
// MANY-LABEL: [1] gemm
// MANY: warp iterations 6250
// MANY: a load {{[1-8]}} 256
// SHORT-LABEL: [1] gemm
// SHORT: warp iterations 25000
void gemm(size_t n, size_t m, size_t l, const double *restrict a, const double *restrict b, double *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * l], b[0 : l * m]) map(tofrom : c[0 : n * m])
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < m; ++j) {
      double sum = 0;
      for (size_t k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] += sum;
    }
}

// Loops that the plugin fuses: with 4096 of each, the same number of rows together, with elements of half the size.
// CHECK-LABEL: [2] fused
// CHECK-LABEL: device, loops collapsed
// CHECK: warp iterations 131072
// CHECK: a load 1 16384 67.1{{[0-9]*}} MB
// CHECK: b load 4 4096 67.1{{[0-9]*}} MB
void fused(int n, int m, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : l * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k)
        c[i * m + j] += a[i * l + k] * b[k * m + j];
}

// CHECK-LABEL: [3] apart
// CHECK: warp iterations 524288
// CHECK: a load 4 64
void apart(int n, int m, const float *restrict a, float *restrict c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 64 * n * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < 64; ++k)
        sum += a[(i * 64 + k) * m + j];
      c[i * m + j] = sum;
    }
}
