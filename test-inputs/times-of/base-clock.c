// Profilers lock the clock: an RTX 3080 then runs with 1.44 GHz, not 1.71, and what computing takes grows by 1.71 / 1.44 = 1.19. Its 68 multiprocessors make 2
// results of 64 bits in a cycle: 2^20 * 64 of them take 2^26 / (68 * 2 * 1.71 GHz) = 289 us, and 343 us with the base clock; a few are made besides.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident -D n=1048576 | %FileCheck %s --check-prefix=BOOST
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident -D n=1048576 | %FileCheck %s --check-prefix=BASE
// RUN: not %ipda predict %t.yaml --gpu v100 --clock none --cpu epyc-milan 2>&1 | %FileCheck %s --check-prefix=WRONG
// WRONG: invalid value 'none'
// BOOST-NOT: base clock
// BOOST: kernel 29{{[0-9.]+}} us x {{[0-9.]+}} float64 units
// BASE: the device runs with its base clock, 1.44 GHz
// BASE: kernel 3{{[45][0-9.]+}} us x {{[0-9.]+}} float64 units
void sums(double *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) {
    double x = a[i];
    for (int j = 0; j < 64; ++j)
      x = x * 1.0000001 + 1;
    a[i] = x;
  }
}
