// Instructions under a guard on known values are done as often as it lets through, by a warp where one of its lanes is: 5000 multiplications and additions, which
// wait for each other, of 2^24 elements take `all` 3.66 ms (528 schedulers take an instruction a cycle at 1.755 GHz). `but_first` and the guard of threads
// beyond the last element take as long, `sixteenth` a 16th of it, 0.23 ms, and where every 16th lane does it each warp does. One guard that depends on
// data is guessed.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D h=1048576 -D num_teams=65536 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D n=16777216 -D h=1048576 -D num_teams=65536 --as-at-launch | %FileCheck %s

#include <omp.h>

static float work(float x) {
  for (int t = 0; t < 5000; ++t)
    x = x * 1.0001f + 0.5f;
  return x;
}

// CHECK: {{^}}[1] all,
// CHECK: host 1.0{{[0-9]+}} s
// CHECK: kernel 3.{{[56][0-9]+}} ms
void all(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int q = 0; q < n; ++q)
    a[q] = work(a[q]);
}

// CHECK: {{^}}[2] but_first,
// CHECK: host 1.0{{[0-9]+}} s
// CHECK: kernel 3.{{[56][0-9]+}} ms
void but_first(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int q = 0; q < n; ++q)
    if (q >= 1)
      a[q] = work(a[q]);
}

// CHECK: {{^}}[3] sixteenth,
// CHECK: host 6{{[0-9.]+}} ms
// CHECK: kernel 2{{[23][0-9.]*}} us
void sixteenth(float *a, int n, int h) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int q = 0; q < n; ++q)
    if (q < h)
      a[q] = work(a[q]);
}

// CHECK: {{^}}[4] every_16th,
// CHECK: host 6{{[0-9.]+}} ms
// CHECK: kernel 3.{{[56][0-9]+}} ms
void every_16th(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int q = 0; q < n; ++q)
    if (q % 16 == 0)
      a[q] = work(a[q]);
}

// CHECK: {{^}}[5] of_threads,
// CHECK: kernel 3.{{[45][0-9]+}} ms
void of_threads(float *a, int n) {
#pragma omp target teams num_teams((n + 255) / 256) thread_limit(256) map(tofrom : a[0 : n])
#pragma omp parallel num_threads(256)
  {
    int i = omp_get_team_num() * 256 + omp_get_thread_num();
    if (i < n)
      a[i] = work(a[i]);
  }
}
