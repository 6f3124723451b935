// Places that nobody knows in small arrays: an array has no more lines than it is long, however many threads look into it. In `field`, 1,048,576 particles read
// from a field of 262,144 bytes, which an L2 of 5 MB keeps beside what goes by: from memory come x (4.2 MB) and the field once, and out goes back, 4.2 MB; none
// of it lies in L2 from before but what fits: at most 8.7 MB. (As if each of 104,448 threads had a line of its own in it, 13 MB of lines, the field came again and again: 34 MB.)
// In `tiles`, a tile of 64 x 64 floats repeats in two directions: 16,384 bytes, which lie in L2 but for what others have just displaced, at most in 2 % of all
// uses; what is written is 4 * 4096 * 4096 bytes = 67.1 MB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=1048576 -D cells=65536 -D rows=4096 -D columns=4096 -D m=64 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=1048576 -D cells=65536 -D rows=4096 -D columns=4096 -D m=64 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=1048576 -D cells=65536 -D rows=4096 -D columns=4096 -D m=64 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] field
// CHECK: memory bytes {{[3-8]\.[0-9]+}} MB
void field(const float *x, const float *force, float *out, int n, int cells) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], force[0 : cells]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i)
    out[i] = force[(int)x[i]];
}

// CHECK: [2] tiles
// CHECK: memory bytes 6{{[78]}}.{{[0-9]+}} MB
void tiles(const float *tile, float *out, int rows, int columns, int m) {
#pragma omp target teams distribute parallel for collapse(2) map(to : tile[0 : m * m]) map(from : out[0 : rows * columns])
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      out[i * columns + j] = tile[i % m * m + j % m];
}
