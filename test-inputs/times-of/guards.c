// What a guard leaves is counted: with rows of 4096 elements, iterations that are evenly spread would all lie in the first column, where the guard
// holds nowhere. In `inner`, of 4096 columns and rows, 2 are left out each: it writes 4094 * 4094 * 4 bytes = 67 MB and reads as many of a, whose first
// and last rows it reads, too: together 134 MB, and with b's first and last column, which share sectors with others, no more than 134.22 MB. The
// neighbours of a point above and below are rows away: where the cache does not keep rows, a is read three times. In `but_first` 4095 of 4096 elements
// are copied: 134.2 MB. In `every_third` a third of the iterations reads and writes 4 bytes, in every sector: all 134.22 MB move at most.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH

// CHECK: inner
// CHECK: memory bytes {{134|201|268}}.{{[0-9]+}} MB
// LAUNCH: inner
// LAUNCH: kernel [[#]].{{[0-9]+}} us
void inner(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int q = 0; q < n * n; ++q) {
    int i = q / n, j = q % n;
    if (j >= 1 && j < n - 1 && i >= 1 && i < n - 1)
      b[q] = a[q] + a[q - 1] + a[q + 1] + a[q - n] + a[q + n];
  }
}

// CHECK: but_first
// CHECK: memory bytes 134.{{[0-9]+}} MB
void but_first(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (j >= 1)
        b[i * n + j] = a[i * n + j];
}
