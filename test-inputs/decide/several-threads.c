// Launches from several threads at once: the decision's code and what is planted for it have no data race. The runtime is played by a few
// functions, so that nothing but this code is looked at; where an update is made a load and a store, the sanitizer must see it.
// REQUIRES: thread-sanitizer
// RUN: %clang -O1 %x86-offload %load -S -emit-llvm %s -o %t.ll && %support-as-ir %t.ll
// RUN: sed -E 's/^( *%[a-z0-9._]+) = atomicrmw add ptr (%[a-z0-9._]+), i64 1 monotonic/\1 = load i64, ptr \2, align 8\n  store i64 0, ptr \2/' %t.ll > %t.broken.ll
// RUN: gcc -O1 -DRUNTIME -c %s -o %t.runtime.o
// RUN: %opt -passes='forceattrs,tsan-module,function(tsan)' -force-attribute=sanitize_thread %t.ll -o %t.bc
// RUN: %opt -passes='forceattrs,tsan-module,function(tsan)' -force-attribute=sanitize_thread %t.broken.ll -o %t.broken.bc
// RUN: %clang -O1 -w -c %t.bc -o %t.o && gcc %t.o %t.runtime.o -o %t -ltsan -lm
// RUN: %clang -O1 -w -c %t.broken.bc -o %t.broken.o && gcc %t.broken.o %t.runtime.o -o %t.broken -ltsan -lm
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=summary setarch -R %t 2>&1 | %FileCheck %s --check-prefix=SUMMARY --implicit-check-not=WARNING
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=summary setarch -R %t 2>&1 | %FileCheck %s --implicit-check-not=WARNING
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=calls setarch -R %t 2>&1 | %FileCheck %s --implicit-check-not=WARNING
// RUN: env IPDA_OFFLOAD=model setarch -R %t 2>&1 | %FileCheck %s --implicit-check-not=WARNING
// RUN: %not env IPDA_OFFLOAD=never IPDA_LOG=summary setarch -R %t.broken 2>&1 | %FileCheck %s --check-prefix=BROKEN
// SUMMARY-DAG: all is done
// SUMMARY-DAG: one at {{.* host  +}}800 
// SUMMARY-DAG: two at {{.* host  +}}800 
// CHECK: all is done
// BROKEN: WARNING: ThreadSanitizer: data race
// BROKEN: __ipda_
#ifdef RUNTIME
#include <string.h>
// A launch that fails, whereupon the host's version runs.
int __tgt_target_kernel(void *place, long device, int teams, int threads, void *region, void *arguments) { return 1; }
int omp_get_num_devices(void) { return 1; }
int omp_get_default_device(void) { return 0; }
int omp_get_initial_device(void) { return 1; }
int omp_get_max_threads(void) { return 1; }
int omp_get_level(void) { return 0; }
int omp_get_active_level(void) { return 0; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_max_teams(void) { return 0; }
int omp_get_num_procs(void) { return 1; }
int omp_get_thread_limit(void) { return 1; }
int omp_get_teams_thread_limit(void) { return 0; }
int omp_target_is_present(const void *pointer, int device) { return 0; }
// Of the sanitizer's functions, GCC's library lacks these.
void *__tsan_memset(void *to, int byte, unsigned long size) { return memset(to, byte, size); }
void *__tsan_memcpy(void *to, const void *from, unsigned long size) { return memcpy(to, from, size); }
#else
#include <pthread.h>
#include <stdio.h>
enum { THREADS = 8, LAUNCHES = 100, N = 10 };
static void one(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
static void two(int *a, int n) {
#pragma omp target map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] += 2;
}
static void *launch(void *wrong) {
  int a[N] = {0};
  for (int k = 0; k < LAUNCHES; ++k) {
    one(a, N);
    two(a, N);
  }
  return a[N - 1] == 3 * LAUNCHES ? 0 : wrong;
}
int main(void) {
  pthread_t threads[THREADS];
  void *wrong = 0;
  for (int i = 0; i < THREADS; ++i)
    pthread_create(&threads[i], 0, launch, threads);
  for (int i = 0; i < THREADS; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    wrong = result ? result : wrong;
  }
  fprintf(stderr, "%s\n", wrong ? "wrong sums" : "all is done");
}
#endif
