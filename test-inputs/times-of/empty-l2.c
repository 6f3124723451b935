// What a kernel finds in L2 depends on what was there before. 262144 floats are read and as many written, 1 MB each, of the 5 MB of an RTX 3080's L2: in a program that
// has just copied or used them, they lie there, and nothing comes from memory. Profilers empty the caches before each kernel (Nsight Compute, --cache-control all, its
// default), as they lock the clock: what is read comes, 1.05 MB, and what is written stays. 16777216 floats are 67 MB, of which L2 has nothing either way.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=262144 --details | %FileCheck --check-prefix=USED %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=262144 --details --l2 empty | %FileCheck --check-prefix=EMPTY %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=262144 --details --clock base | %FileCheck --check-prefix=EMPTY %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=262144 --details --clock base --l2 used | %FileCheck --check-prefix=USED %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=16777216 --details --l2 used | %FileCheck --check-prefix=MUCH %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=16777216 --details --l2 empty | %FileCheck --check-prefix=MUCH %s
// RUN: not %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --as-at-launch --l2 empty 2>&1 | %FileCheck --check-prefix=LAUNCH %s
// USED-NOT: the device's L2 is empty
// USED: memory bytes 0 B
// EMPTY: the device's L2 is empty when a kernel starts
// EMPTY: memory bytes 1.0486 MB
// MUCH: memory bytes 134.22 MB
// LAUNCH: '--as-at-launch' cannot be used with '--l2
void doubled(const float *a, float *b, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(from : b[0 : n])
  for (int i = 0; i < n; i++)
    b[i] = 2.0f * a[i];
}
