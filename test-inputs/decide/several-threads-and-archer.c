// Launches from the threads of a parallel region, with LLVM's runtime and the x86-64 device, under the thread sanitizer, to which Archer tells what
// OpenMP's constructs order: no report with a frame in the decision's code. Some launches run on the host, some on the device, and some stay there because
// their data is there. Code without instrumentation, as the runtimes', is left out, and where an update is made a load and a store, it is reported.
// REQUIRES: archer
// RUN: env IPDA_GPU=h200 IPDA_CPU=epyc-milan %clang -O1 -g -w %x86-offload %load -S -emit-llvm %s -o %t.ll && %support-as-ir %t.ll
// RUN: sed -E 's/^( *%[a-z0-9._]+) = atomicrmw add ptr (%[a-z0-9._]+), i64 1 monotonic/\1 = load i64, ptr \2, align 8\n  store i64 0, ptr \2/' %t.ll > %t.broken.ll
// RUN: %opt -passes='forceattrs,tsan-module,function(tsan)' -force-attribute=sanitize_thread %t.ll -o %t.bc
// RUN: %opt -passes='forceattrs,tsan-module,function(tsan)' -force-attribute=sanitize_thread %t.broken.ll -o %t.broken.bc
// RUN: %clang -O1 -w -c %t.bc -o %t.o && %clang %x86-offload %t.o -o %t -Wl,-rpath,%llvm-lib %link-tsan
// RUN: %clang -O1 -w -c %t.broken.bc -o %t.broken.o && %clang %x86-offload %t.broken.o -o %t.broken -Wl,-rpath,%llvm-lib %link-tsan
// DEFINE: %{with} = env OMP_TOOL_LIBRARIES=%archer TSAN_OPTIONS=ignore_noninstrumented_modules=1
// DEFINE: %{check} = timeout 120 setarch -R %t 2>&1 | %FileCheck %s --implicit-check-not=WARNING
// RUN: %{with} IPDA_OFFLOAD=never IPDA_LOG=summary ARCHER_OPTIONS=verbose=1 %{check} --check-prefixes=ARCHER,SUMMARY
// RUN: %{with} IPDA_OFFLOAD=model IPDA_LEARN=off IPDA_LOG=summary %{check} --check-prefix=SUMMARY
// RUN: %{with} IPDA_OFFLOAD=model IPDA_LOG=calls %{check}
// RUN: %{with} IPDA_OFFLOAD=never %{check}
// RUN: %{with} IPDA_OFFLOAD=always %{check}
// RUN: %not %{with} IPDA_OFFLOAD=never IPDA_LOG=summary timeout 120 setarch -R %t.broken 2>&1 | %FileCheck %s --check-prefix=BROKEN
// What launches learn, and the library keeps, on a busy machine may lead them to the other side, so choices are counted without.
// RUN: rm -f %t.learned
// RUN: %{with} IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_LEARN=%t.learned IPDA_LOG=summary %{check}
// ARCHER: Archer detected OpenMP application with TSan
// CHECK: all is done
// SUMMARY-DAG: all is done
// SUMMARY-DAG: one at {{.* host  +}}400 {{ +[^ ]+ s +[^ ]+ s}}
// SUMMARY-DAG: two at {{.* host  +}}200 {{ +[^ ]+ s +[^ ]+ s}}
// SUMMARY-DAG: two at {{.* device  +}}200 {{ +[^ ]+ s +[^ ]+ s}}
// BROKEN: WARNING: ThreadSanitizer: data race
// BROKEN: __ipda_
#include <stdio.h>

enum { THREADS = 8, LAUNCHES = 50, N = 100 };
static void one(int *a, int n) {
#pragma omp target parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
static void two(int *a, int n) {
#pragma omp target parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 2;
}
int main(void) {
  int wrong = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : wrong) schedule(static, 1)
  for (int thread = 0; thread < THREADS; ++thread) {
    int a[N] = {0};
    for (int k = 0; k < LAUNCHES; ++k) {
      one(a, N);
      if (thread % 2) {
#pragma omp target data map(tofrom : a[0 : N])
        two(a, N);
      } else {
        two(a, N);
      }
    }
    wrong += a[N - 1] != 3 * LAUNCHES;
  }
  fprintf(stderr, "%s\n", wrong ? "wrong sums" : "all is done");
}
