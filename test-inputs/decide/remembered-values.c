// A region remembers its last values and what was predicted for them. Threads that launch it with others at the same time get neither a mixture nor what
// belongs to another's values, without a lock: each number of iterations has one prediction, whoever asks. What is asked of the device, whether data is
// there, and whether the launch is in a parallel region are never remembered; other machines make what is remembered void.
// REQUIRES: thread-sanitizer
// RUN: gcc -O1 -DRUNTIME -c %s -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O1 -g %x86-offload %load -S -emit-llvm %s -o %t.ll
// RUN: %clang -O1 -w -c %t.ll -o %t.fast.o && gcc %t.fast.o %t.runtime.o -o %t.fast -lm -pthread
// RUN: %support-as-ir %t.ll
// RUN: %FileCheck %s --check-prefix=HAS --input-file %t.ll
// HAS: call {{.*}} @__ipda_predict.
// RUN: %opt -passes='forceattrs,tsan-module,function(tsan)' -force-attribute=sanitize_thread %t.ll -o %t.bc
// RUN: %clang -O1 -w -c %t.bc -o %t.o && gcc %t.o %t.runtime.o -o %t -ltsan -lm
// RUN: env IPDA_OFFLOAD=model setarch -R %t 2>&1 | %FileCheck %s --check-prefix=DONE --implicit-check-not=WARNING
// Without the sanitizer, which slows threads down so that they seldom meet:
// RUN: env IPDA_OFFLOAD=model IPDA_LEARN=off IPDA_LOG=calls %t.fast 2>&1 | grep '; predicted' | sed -E 's/.*\(n = ([0-9]+)\): on the [a-z]+; /\1 /' | sort -u | sort -n >%t.reported
// RUN: cut -d ' ' -f 1 %t.reported | %FileCheck %s --check-prefix=EACH --match-full-lines --strict-whitespace
//      EACH:1000
// EACH-NEXT:100000
// EACH-NEXT:10000000
// EACH-NEXT:1000000000
//  EACH-NOT:{{.}}
// DONE: all is done
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t.fast other-machines 2>&1 | grep -v ': took ' | %FileCheck %s --check-prefix=OTHER
// OTHER: (n = 1000000): {{.*}} predicted [[HOST:[0-9.e-]+]] s on the host, [[DEVICE:[0-9.e-]+]] s there
// OTHER-NEXT: (n = 1000000): {{.*}} predicted [[HOST]] s on the host, [[DEVICE]] s there
// OTHER-NEXT: machines
// OTHER-NEXT: (n = 1000000): {{.*}} predicted
// OTHER-NOT: [[DEVICE]] s there
// OTHER: all is done
#ifdef RUNTIME
#include "../../pass/support/region.h"
#include <stdio.h>
#include <string.h>
static struct ipda_region *known;
int32_t __ipda_rt_region(struct ipda_region *region) {
  known = region;
  return 0;
}
void other_machines(void) {
  dprintf(2, "machines\n");
  for (long at = 0; at < known->prepared_count; ++at) {
    double number;
    memcpy(&number, &known->prepared[at], sizeof number);
    number *= 3;
    memcpy((void *)&known->prepared[at], &number, sizeof number);
  }
  __atomic_fetch_add(&known->generation, 1, __ATOMIC_RELEASE);
}
// Nothing is run: the decision alone is looked at.
int __tgt_target_kernel(void *place, long device, int teams, int threads, void *region, void *arguments) { return 0; }
void __kmpc_fork_call(void *place, int count, void *work, ...) {}
void __kmpc_for_static_init_4(void *place, int thread, int kind, int *last, int *from, int *to, int *stride, int step, int chunk) {}
void __kmpc_for_static_fini(void *place, int thread) {}
int omp_get_num_devices(void) { return 1; }
int omp_get_default_device(void) { return 0; }
int omp_get_max_threads(void) { return 1; }
int omp_get_level(void) { return 0; }
int omp_get_active_level(void) { return 0; }
int omp_get_max_active_levels(void) { return 1; }
int omp_get_max_teams(void) { return 0; }
int omp_get_num_procs(void) { return 1; }
int omp_get_thread_limit(void) { return 1; }
int omp_get_teams_thread_limit(void) { return 0; }
int omp_target_is_present(const void *pointer, int device) { return 0; }
void *__tsan_memset(void *to, int byte, unsigned long size) { return memset(to, byte, size); }
void *__tsan_memcpy(void *to, const void *from, unsigned long size) { return memcpy(to, from, size); }
#else
#include <pthread.h>
#include <stdio.h>
void other_machines(void);
enum { THREADS = 4, LAUNCHES = 2000 };
static void one(float *a, int n) {
#pragma omp target parallel for map(tofrom : a[0 : 4])
  for (int i = 0; i < n; ++i)
    a[i] += 1;
}
static const int sizes[] = {1000, 100000, 10000000, 1000000000};
static void *launch(void *number) {
  float a[4] = {0};
  for (int k = 0; k < LAUNCHES; ++k)
    one(a, sizes[(k + *(int *)number) / 3 % 4]);
  return 0;
}
int main(int argc, char **argv) {
  if (argc > 1) {
    float a[4] = {0};
    one(a, 1000000);
    one(a, 1000000);
    other_machines();
    one(a, 1000000);
  } else {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
      numbers[i] = i;
      pthread_create(&threads[i], 0, launch, &numbers[i]);
    }
    for (int i = 0; i < THREADS; ++i)
      pthread_join(threads[i], 0);
  }
  fprintf(stderr, "all is done\n");
}
#endif
