// What is reported about a launch is where it runs, also where the runtime keeps it on the host: with OMP_TARGET_OFFLOAD=disabled, with the host as the
// default device, by a device clause. Its time is then that of the host's version.
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefixes=CALLS,OPEN
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=always OMP_TARGET_OFFLOAD=disabled %t 2>&1 | %FileCheck %s --check-prefixes=CALLS,HOME
// RUN: env IPDA_LOG=calls IPDA_OFFLOAD=never %t host 2>&1 | %FileCheck %s --check-prefixes=CALLS,HOME
// RUN: env IPDA_LOG=calls OMP_TARGET_OFFLOAD=mandatory %t 2>&1 | %FileCheck %s --check-prefixes=CALLS,DEVICE
// RUN: env IPDA_LOG=summary OMP_TARGET_OFFLOAD=disabled %t 2>&1 | %FileCheck %s --check-prefix=SUM
// RUN: env IPDA_LOG=calls OMP_TARGET_OFFLOAD=disabled %t 2>&1 | %FileCheck %s --check-prefix=TIMED
#include <omp.h>
#include <stdio.h>

// Takes a tenth of a second.
static void count(int n, double *x) {
#pragma omp target map(tofrom : x[0 : 1])
  {
    double start = x[0];
    for (int i = 0; i < n; ++i)
      start = start * 0.5 + i;
    x[0] = start;
  }
}
static void add(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}
static void named(int device, int n, float *x) {
#pragma omp target teams distribute parallel for device(device) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 2;
}
// How many iterations the loop runs is not known, and there are few values to copy.
static void rows(int n, const int *first, float *x) {
#pragma omp target teams distribute parallel for map(to : first[0 : n + 1]) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = first[i]; k < first[i + 1]; ++k)
      x[i] += k;
}

int main(int argc, char **argv) {
  static float x[1000];
  static int first[1001];
  double y = 1;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 1)
    omp_set_default_device(omp_get_initial_device());
  add(100, x);
  named(omp_get_initial_device(), 100, x);
  rows(1000, first, x);
  count(30000000, &y);
  printf("%g %g\n", x[0], x[999]);
}
// CALLS-NOT: already there
// OPEN: add at {{.*}} (n = 100): on the host; predicted
// HOME: add at {{.*}} (n = 100): on the host, by the runtime; predicted
// DEVICE: add at {{.*}} (n = 100): on the device; predicted
// CALLS: named at {{.*}} (n = 100): on the host, by the runtime; predicted
// CALLS: rows at {{.*}} (n = 1000): on the {{.*}} predicted {{[^ ]*}} s on the host, {{[^ ]*}} s there, if loop k runs 128 iterations, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// HOME: count at {{.*}}: on the host, by the runtime{{$}}
// DEVICE: count at {{.*}}: on the device{{$}}
// CALLS: 3 0
// SUM-DAG: add at {{.* host  +}}1 
// SUM-DAG: named at {{.* host  +}}1 
// TIMED: count at {{.*}}: on the host, by the runtime
// TIMED-NEXT: count at {{.*}}: took 0.{{0?[1-9].*}} s on the host
