// What a guard leaves is counted, of bytes and of instructions alike: with rows of 4096 elements, iterations that are evenly spread would all lie in the
// first column, where the guard holds nowhere. In `inner`, of 4096 columns and rows, 2 are left out each: it writes 4094 * 4094 * 4 bytes = 67 MB and reads
// as many of a, whose first and last rows it reads, too: together 134 MB, and with b's first and last column, which share sectors with others, no more than
// 134.22 MB, where the L2 keeps three rows. In `but_first` 4095 of 4096 elements are copied: 134.2 MB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=4096 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH

// CHECK: inner
// CHECK: memory bytes 134.{{[01][0-9]*}} MB
// LAUNCH: inner
// LAUNCH: kernel {{[56][0-9]}}.{{[0-9]+}} us
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

// Rare guards lose nothing. The first 64 rows: 64 * 4096 * 8 bytes = 2.097 MB.
// CHECK: few_rows
// CHECK: memory bytes 2.0{{9|97[0-9]*}}{{[0-9]*}} MB
void few_rows(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int q = 0; q < n * n; ++q)
    if (q / n < 64)
      b[q] = a[q];
}

// The edges: two rows of 16 kB, and a sector of each row's first and last elements, 2 * 4096 * 32 bytes = 262 kB, of two arrays: 590 kB.
// CHECK: edges
// CHECK: memory bytes 5{{8|9}}{{[0-9.]+}} kB
void edges(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i == 0 || i == n - 1 || j == 0 || j == n - 1)
        b[i * n + j] = a[i * n + j];
}

// A band: 17 elements of each row, which lie in 2 to 4 sectors and so in (17 + 7) / 8 = 3 on average: 4096 * 3 * 32 bytes of two arrays, 786 kB.
// CHECK: band
// CHECK: memory bytes 786.{{[0-9]+}} kB
void band(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (j >= i - 8 && j <= i + 8)
        b[i * n + j] = a[i * n + j];
}

// A third of the iterations reads and writes 4 bytes, in every sector: all 134.22 MB move. So do they where colours alternate.
// CHECK: every_third
// CHECK: memory bytes 134.22 MB
void every_third(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int q = 0; q < n * n; ++q)
    if (q % 3 == 0)
      b[q] = a[q];
}

// CHECK: red
// CHECK: memory bytes 134.22 MB
void red(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if ((i + j) % 2 == 0)
        b[i * n + j] = a[i * n + j];
}

// Every second element: of a warp, whose lanes' sectors are all touched, and every 16th: in every second sector.
// CHECK: even
// CHECK: memory bytes 134.22 MB
void even(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int q = 0; q < n * n; ++q)
    if (q % 2 == 0)
      b[q] = a[q];
}

// CHECK: every_16th
// CHECK: memory bytes 67.1{{[0-9]+}} MB
void every_16th(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(tofrom : b[0 : n * n])
  for (int q = 0; q < n * n; ++q)
    if (q % 16 == 0)
      b[q] = a[q];
}
