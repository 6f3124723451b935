// Teams beside each other work on the same row, 4096 / 128 = 32 of them. Of an RTX 3080 at most 12 teams of 128 threads fit on each of 68 multiprocessors: 816 at
// a time, which are of 26 rows, and go along these together. So each of the 4096 rows of 65536 floats comes from memory once, 1.07 GB, and the 67.1 MB of
// results go back; `window` with its 278 kB stays in the L2. (As if each team that runs had a row of its own, rows came up to 32 times: 34 GB.)
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D rows=4096 -D columns=4096 -D length=65536 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D rows=4096 -D columns=4096 -D length=65536 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D rows=4096 -D columns=4096 -D length=65536 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: memory bytes 1.{{1[0-9]*|2[0-9]*}} GB
void correlate(int rows, int columns, int length, const float *restrict signal, const float *restrict window, float *restrict out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : signal[0 : rows * length], window[0 : columns + length]) map(from : out[0 : rows * columns])
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float sum = 0;
      for (int k = 0; k < length; k++)
        sum += signal[i * length + k] * window[j + k];
      out[i * columns + j] = sum;
    }
}
