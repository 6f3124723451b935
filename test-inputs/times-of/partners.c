// The partner of a butterfly is x ^ y with y a power of two, which lies y above or below x: neighbours have neighbours as partners, so that a warp touches 4
// sectors of each side. What a launch predicts, where y is known later, is the same as with numbers. (It took partners to be anywhere: 2.4 times the time.)
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D near=64 -D run=128 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D near=64 -D run=128 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D near=64 -D run=128 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: v load 4
// CHECK: v load 4
void exchange(int n, int near, int run, float *v) {
#pragma omp target teams distribute parallel for map(tofrom : v[0 : n])
  for (int i = 0; i < n; i++) {
    int partner = i ^ near;
    if (partner > i) {
      float mine = v[i], other = v[partner];
      if (((i & run) == 0) == (mine > other)) {
        v[i] = other;
        v[partner] = mine;
      }
    }
  }
}
