// LLVM 19's libomp cannot start teams on the host within a parallel region: a thread that was in other teams before ends in a failed assertion, the
// results of a reduction get lost between more than 4 threads, and in `nowait`, which libomp runs in a parallel region of its own, they wait for
// each other forever. So launches of regions with teams stay on the device there, and code of the program's own that starts teams there, as under
// an if clause that does not hold, asks for them first. table-cost-runtime.inc stands for a device that works, and does nothing.
// RUN: %clang -O2 -w -c -x c %S/table-cost-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// RUN: env OMP_NUM_THREADS=2 IPDA_OFFLOAD=always timeout 60 %t | %FileCheck %s --check-prefix=ALWAYS
// RUN: env IPDA_OFFLOAD=model OMP_NUM_THREADS=2 timeout 60 %t | %FileCheck %s --check-prefix=HOST
// RUN: env OMP_NUM_THREADS=2 IPDA_OFFLOAD=never timeout 60 %t | %FileCheck %s --check-prefix=HOST
// RUN: env OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=3 IPDA_OFFLOAD=never timeout 60 %t | %FileCheck %s --check-prefix=HOST
// RUN: env OMP_NUM_THREADS=2 OMP_NUM_TEAMS=2 IPDA_OFFLOAD=never timeout 60 %t | %FileCheck %s --check-prefix=HOST
// RUN: env OMP_NUM_THREADS=2 LIBOMP_USE_HIDDEN_HELPER_TASK=0 IPDA_OFFLOAD=never timeout 60 %t | %FileCheck %s --check-prefix=DEFERRED
// RUN: env OMP_NUM_THREADS=2 IPDA_OFFLOAD=never IPDA_LOG=calls timeout 60 %t 2>&1 | %FileCheck %s --check-prefix=LOG
// The first of each is launched outside of parallel regions. What has no teams may run on the host within one.
// LOG: {{^}}ipda: add at {{.*}}: on the host
// LOG: {{^}}ipda: total at {{.*}}: on the host
// LOG: {{^}}ipda: add at {{.*}}: on the device{{.*}}, since teams start on the host only outside of parallel regions and nowait{{$}}
// LOG: {{^}}ipda: later at {{.*}}: on the device{{.*}}, since teams start on the host only outside of parallel regions and nowait{{$}}
// ALWAYS: outside 0 0
// ALWAYS-NEXT: inside 0 0 2 0
// ALWAYS-NEXT: task 0, nowait 0
// HOST: outside 1 1000
// HOST-NEXT: inside 1 0 3 1
// HOST-NEXT: task 0, nowait 0
// DEFERRED: task 0, nowait 1000
#include <stdio.h>
enum { N = 1000, THREADS = 5 };
static int a[THREADS * N], b[THREADS * N], c[THREADS * N];
static void add(int *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
  for (int i = 0; i < N; ++i)
    p[i] += 1;
}
static int total(const int *p) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : p[0 : N]) reduction(+ : sum)
  for (int i = 0; i < N; ++i)
    sum += p[i];
  return sum;
}
static int later(const int *p) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(to : p[0 : N]) map(tofrom : sum) reduction(+ : sum) nowait
  for (int i = 0; i < N; ++i)
    sum += p[i];
#pragma omp taskwait
  return sum;
}
// The program's own choice, which is the host.
static void where_large(int *p, int n) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : n]) if (n > N)
  for (int i = 0; i < n; ++i)
    p[i] += 2;
}
static void without_teams(int *p) {
#pragma omp target parallel for map(tofrom : p[0 : N])
  for (int i = 0; i < N; ++i)
    p[i] += 1;
}
int main(int argc, char **argv) {
  add(a);
  int sum = total(a);
  printf("outside %d %d\n", a[0], sum);
  sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum)
  for (int k = 0; k < THREADS; ++k) {
    add(a + k * N);
    where_large(b + k * N, N);
    without_teams(b + k * N);
    without_teams(c + k * N);
    sum += total(a + k * N);
  }
  printf("inside %d %d %d %d\n", a[0], sum, b[N], c[THREADS * N - 1]);
  int of_task = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task shared(of_task)
  of_task = total(a);
  printf("task %d, nowait %d\n", of_task, later(a));
}
