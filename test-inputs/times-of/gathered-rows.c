// Whole rows by a list of their numbers, as words become vectors: 65,536 words have rows of 768 floats each, of 32,000 that there are. Neighbouring threads are
// beside each other in one row, so that 65,536 * 768 * 4 bytes = 201 MB are written, and of the table of 98.3 MB those rows are read that are met:
// 1 - exp(-65536 / 32000) = 87 % = 85.6 MB; with the list 287 MB. Of rows that are met again the L2 has kept some, or none: at most 2 * 201 MB + 0.3 MB.
// (As if each thread had a place of its own, these were 3.2 GB.)
// In the twin each thread has its own row, and reads one element of it: 65,536 * 32 bytes = 2.1 MB of sectors, and what is written, 0.3 MB, with the list 0.3 MB.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D words=65536 -D length=768 -D rows=32000 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D words=65536 -D length=768 -D rows=32000 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D words=65536 -D length=768 -D rows=32000 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] vectors
// CHECK: memory bytes {{(28[0-9]|29[0-9]|3[0-9][0-9]|40[0-3])\.[0-9]+}} MB
void vectors(const int *word, const float *table, float *out, int words, int length, int rows) {
#pragma omp target teams distribute parallel for collapse(2) map(to : word[0 : words], table[0 : rows * length]) map(from : out[0 : words * length])
  for (int w = 0; w < words; ++w)
    for (int i = 0; i < length; ++i)
      out[w * length + i] = table[word[w] * length + i];
}

// CHECK: [2] firsts
// CHECK: L2 bytes 2.{{[4-7][0-9]*}} MB
void firsts(const int *word, const float *table, float *out, int words, int length, int rows) {
#pragma omp target teams distribute parallel for map(to : word[0 : words], table[0 : rows * length]) map(from : out[0 : words])
  for (int w = 0; w < words; ++w)
    out[w] = table[word[w] * length];
}
