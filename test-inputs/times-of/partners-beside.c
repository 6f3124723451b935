// Threads that read their own element and their partner's, x[i ^ y], read the array once: the partner's is no further than y elements away, and is what
// another thread reads beside. 268435456 floats in and as many out are 2.15 GB. (Partners counted as other data: 3.22 GB.) With y = 2^27 an L2 has lost an
// element before its partner's thread reads it: 3.22 GB.
// `s[i % 8]` is a sector that all warps share, and costs nothing beside 2.15 GB.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D y=1024 --details | %FileCheck %s --check-prefixes=CHECK,NEAR
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D y=134217728 --details | %FileCheck %s --check-prefixes=CHECK,FAR
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D y=1024 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D y=1024 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: sums,
// NEAR: memory bytes 2.1{{[45][0-9]*}} GB
// FAR: memory bytes 3.2{{[12][0-9]*}} GB
void sums(const float *x, float *to, int n, int y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : to[0 : n])
  for (int i = 0; i < n; i++)
    to[i] = x[i] + x[i ^ y];
}

// CHECK: scaled,
// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void scaled(const float *x, const float *s, float *to, int n) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], s[0 : 8]) map(from : to[0 : n])
  for (int i = 0; i < n; i++)
    to[i] = x[i] * s[i % 8];
}
