// IPDA_REPRODUCIBLE=1 fixes where launches run and with which teams and threads: all reach the runtime, with the numbers and the iterations that
// they have without the plugin, whatever the other variables say, and with the library, too.
// RUN: %clang -O2 -c -x c %S/geometry-runtime.inc -o %t.runtime.o
// RUN: %clang -O2 %x86-offload -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t.plain
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// RUN: %t.plain > %t.expected
// RUN: %FileCheck %s < %t.expected
// RUN: env IPDA_REPRODUCIBLE=1 %t | diff %t.expected -
// RUN: env IPDA_REPRODUCIBLE=1 IPDA_OFFLOAD=never %t | diff %t.expected -
// RUN: env IPDA_REPRODUCIBLE=1 IPDA_OFFLOAD=model OMP_NUM_THREADS=1 %t | diff %t.expected -
// RUN: env IPDA_OFFLOAD=model IPDA_REPRODUCIBLE=1 LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_LEARN=on IPDA_DEVICES=any %t | diff %t.expected -
// Without it, the small launches are the host's.
// RUN: env IPDA_OFFLOAD=model OMP_NUM_THREADS=1 %t | %FileCheck %s --check-prefix=CHOSEN
// CHECK: teams 0 0 0 0, threads 0 0 0 0, iterations 10{{$}}
// CHECK-NEXT: teams 7 7 0 0, threads 96 96 0 0, iterations 10{{$}}
// CHECK-NEXT: teams 0 0 0 0, threads 0 0 0 0, iterations 1000000{{$}}
// CHECK-NEXT: teams 7 7 0 0, threads 96 96 0 0, iterations 1000000{{$}}
// CHECK-NEXT: teams 1 1 0 0, threads 32 32 0 0
// CHOSEN-NOT: iterations 10{{$}}
// CHOSEN: iterations 1000000{{$}}
static void as_it_likes(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 1000; ++k)
      a[i] = a[i] * 0.5f + 1;
}
static void as_asked(float *a, int n, int teams) {
#pragma omp target teams distribute parallel for num_teams(teams) thread_limit(96) map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 1000; ++k)
      a[i] = a[i] * 0.5f + 1;
}
static void one_team(float *a) {
#pragma omp target parallel num_threads(32) map(tofrom : a[0 : 1])
  a[0] = 1;
}
int main(int argc, char **argv) {
  static float a[1000000];
  as_it_likes(a, 10);
  as_asked(a, 10, 6 + argc);
  as_it_likes(a, 1000000);
  as_asked(a, 1000000, 6 + argc);
  one_team(a);
}
