// A condition on what each thread has loaded holds for some lanes of a warp and not for others. The warp goes there if any of its lanes does, and a sector is
// touched if any of the 8 lanes does that share it: of a half of them, in all but 1 / 256. So of 64 Mi floats a and b come and go as without the condition:
// 3 * 4 * 67,108,864 bytes = 805 MB, of which L2 has nothing from before (counted by lanes, half of a and b: 537 MB). In the twin all lanes of a launch have
// the same condition, which holds half of the time: a and b count half.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=67108864 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=67108864 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=67108864 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: [1] own
// CHECK: memory bytes 80{{[0-9.]+}} MB
void own(const int *mask, const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : mask[0 : n], a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    if (mask[i])
      b[i] = 2 * a[i];
}

// CHECK: [2] common
// CHECK: memory bytes 26{{[0-9.]+}} MB
void common(const int *mask, const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : mask[0 : 1], a[0 : n]) map(tofrom : b[0 : n])
  for (int i = 0; i < n; ++i)
    if (mask[0])
      b[i] = 2 * a[i];
}
