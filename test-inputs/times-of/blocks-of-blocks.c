// Threads in blocks of 32 by 8 over an area of n * n, as a kernel of two dimensions is launched, folded into one loop. A thread's place is made of digits of its
// number: the column of its number in the block, and that of the block. With n = 1025, 33 blocks of columns have 1056 columns, and 129 of rows 1032 rows. Of 264
// sectors of four columns in a row of blocks, 257 have one that is there: (257 * 1025) / (264 * 1032) = 96.7 % of the sectors are touched, in each access. All of a is read and all of b is written once, 8.4 MB each and a sector more for some rows: the rows above and
// below are those of blocks that run at the same time, since a block's lanes lie side by side though the loop's number is divided by the number of blocks.
// REQUIRES: cuda
// Volta's L2 holds a third of it.
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D n=1025 --details | %FileCheck %s

// CHECK: memory bytes {{16.[89]|17.[0-4]}}{{[0-9]*}} MB
// CHECK: a load 8 0.97
// CHECK: b store 8 0.97
enum { BLOCK = 256 };

void means(const double *a, double *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(from : b[0 : n * n])
  for (int t = 0; t < (n + 31) / 32 * ((n + 7) / 8) * BLOCK; ++t) {
    int x = t / BLOCK % ((n + 31) / 32) * 32 + t % 32;
    int y = t / BLOCK / ((n + 31) / 32) * (BLOCK / 32) + t % BLOCK / 32;
    if (x < n && y < n)
      b[x + y * n] = a[x + y * n] + a[x + (y + 1) * n] + a[x + (y - 1) * n];
  }
}
