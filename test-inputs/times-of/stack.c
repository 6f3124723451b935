// Arrays that threads index are in memory, each thread's own. With 2^20 threads of 128 words each, 64 loads and 64 stores at least go through the
// caches: a V100's multiprocessor holds 2048 threads, whose frames of 512 bytes are 1 MB, beyond its L1 of 128 KiB, and 84 MB on all 80, beyond the L2 of
// 6 MB: what is written is fetched again from memory. That is 2^20 * 512 bytes = 537 MB written and about as many read, beside a's 537 MB and b's 4 MB.
// Without them 541 MB were predicted.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu v100 --cpu epyc-milan --resident -D n=1048576 --details | %FileCheck %s
// CHECK: memory bytes 1.{{[5-7][0-9]*}} GB
void permuted(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * 128]) map(from : b[0 : n])
  for (int i = 0; i < n; ++i) {
    float t[128];
    for (int j = 0; j < 128; ++j)
      t[j] = a[j * n + i];
    float sum = 0;
    for (int j = 0; j < 128; ++j)
      sum += t[(j * 37 + (int)sum) & 127];
    b[i] = sum;
  }
}
