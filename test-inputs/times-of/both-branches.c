// A step of a scan: both sides of the branch read in[i], and one of them in[i - d]. Of 268,435,456 integers each is read and written once, 2 * 1.07 GB, as what
// is d places behind was read by the warp before. (As if the two sides read different integers, it was 3.2 GB.)
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D d=1 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D d=1 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=268435456 -D d=1 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: memory bytes 2.1{{[45][0-9]*}} GB
void step(int n, int d, const int *in, int *out) {
#pragma omp target teams distribute parallel for map(to : in[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; i++)
    out[i] = i >= d ? in[i] + in[i - d] : in[i];
}
