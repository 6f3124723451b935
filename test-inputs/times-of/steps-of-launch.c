// Loops whose number of iterations no proof finds, but a launch does. A thread of 1024 teams of 128 has 2^24 / 2^17 = 128 elements of 12 bytes, 32 lanes of a
// warp beside each other: 201.33 MB come and go, no byte twice. One team of 128 threads has 131,072 elements a thread, and waits for each: at least the
// 660 cycles of a load from memory, 43 ms, where 128 iterations would be 17 us.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D num_teams=1024 -D m=1000 --details --width 200 | %FileCheck %s --check-prefixes=CHECK,TERMS
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D num_teams=1024 -D m=1000 --width 200 --as-at-launch | %FileCheck %s
#include <omp.h>

// CHECK: over_all,
// TERMS: memory bytes 201.33 MB
void over_all(float *y, const float *x, float a, int n, int teams) {
#pragma omp target teams num_teams(teams) thread_limit(128) map(to : x[0 : n]) map(tofrom : y[0 : n])
#pragma omp parallel num_threads(128)
  {
    int first = omp_get_team_num() * omp_get_num_threads() + omp_get_thread_num();
    int step = omp_get_num_teams() * omp_get_num_threads();
    for (int i = first; i < n; i += step)
      y[i] += a * x[i];
  }
}

// CHECK: over_team,
// CHECK: kernel {{[3-9][0-9](\.[0-9]+)?}} ms
void over_team(float *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
#pragma omp parallel
  {
    int threads = omp_get_num_threads();
    for (int i = omp_get_thread_num(); i < n; i += threads)
      a[i] *= 2;
  }
}

#define ROWS _Pragma("omp target teams distribute parallel for map(from : o[0 : 1048576])") for (int i = 0; i < 1048576; ++i)

// 1,048,576 threads have 16,777,216 / 1000 = 16,778 iterations each: 1.76e10, of two instructions or more each: at 132 multiprocessors * 64 integers a
// cycle * 1.98 GHz, 2.1 ms. 128 of them would be 15 us.
// CHECK: by_step,
// CHECK: kernel {{[2-6](\.[0-9]+)?}} ms
void by_step(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int k = 0; k < n; k += m)
      s += k ^ i;
    o[i] = s;
  }
}

// Numbers that are doubled, halved, divided by ten, or lose a bit reach a thousand in 10 steps, 10, 4, and at most 10: less than 10 us, and 128 are 15 us.
// CHECK: doubled,
// CHECK: kernel {{[1-9](\.[0-9]+)?}} us
void doubled(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int k = 1; k < m; k <<= 1)
      s += k ^ i;
    o[i] = s;
  }
}

// CHECK: halved,
// CHECK: kernel {{[1-9](\.[0-9]+)?}} us
void halved(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int k = m; k > 0; k /= 2)
      s += k ^ i;
    o[i] = s;
  }
}

// CHECK: tens,
// CHECK: kernel {{[1-9](\.[0-9]+)?}} us
void tens(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int k = m; k > 0; k /= 10)
      s += k ^ i;
    o[i] = s;
  }
}

// CHECK: bits,
// CHECK: kernel {{[1-9](\.[0-9]+)?}} us
// CHECK: loop {{[a-z0-9]+}} runs for half of the bits that its number has
void bits(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (unsigned k = m; k; k &= k - 1)
      s += k ^ i;
    o[i] = s;
  }
}

// The root of 1000 is 31.
// CHECK: roots,
// CHECK: kernel {{1?[0-9](\.[0-9]+)?}} us
void roots(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int k = 2; k * k <= m; ++k)
      s += k ^ i;
    o[i] = s;
  }
}

// Butterflies: 1 + 2 + .. + 256 = 511 iterations, four times 128. They were 147 s where each of 128 stages had 2^127.
// CHECK: stages,
// CHECK: kernel {{[0-9][0-9]+(\.[0-9]+)?}} us
void stages(int *o, int n, int m) {
  ROWS {
    int s = 0;
    for (int length = 2; length <= m; length <<= 1)
      for (int k = 0; k < length / 2; ++k)
        s += k ^ i;
    o[i] = s;
  }
}
// CHECK-NOT: runs 128 iterations
