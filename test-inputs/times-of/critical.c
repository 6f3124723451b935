// Critical sections run one after the other, those of different teams as well. Each goes to L2 and back three times at least: 2^20 of them, of 3 * 265 cycles
// on an H100, take 0.42 s.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1048576 --width 200 --details | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=1048576 --width 200 --as-at-launch | %FileCheck %s --check-prefix=LAUNCH

// CHECK: kernel {{[34][0-9][0-9](\.[0-9]+)?}} ms x {{[0-9.]+}} atomic updates
// CHECK: critical sections run one after the other
// CHECK-NOT: nobody said
// LAUNCH: kernel {{[34][0-9][0-9](\.[0-9]+)?}} ms
void greatest(const float *a, float *m, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n]) map(tofrom : m[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (a[i] > m[0])
      m[0] = a[i];
  }
}
