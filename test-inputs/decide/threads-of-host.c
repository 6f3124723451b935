// How many threads a region's host version gets, by the time that is predicted for it. Teams take what the environment allows, whatever
// omp_set_num_threads says; a parallel construct without teams has one thread where no more parallel regions may be active.
// RUN: %clang -O2 -w -c -x c %S/table-cost-runtime.inc -o %t.runtime.o
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload %load -Wl,-rpath,%llvm-lib %s %t.runtime.o -o %t
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=1 %t teams > %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_THREAD_LIMIT=1 %t teams >> %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_TEAMS_THREAD_LIMIT=1 %t teams >> %t.log 2>&1
// RUN: env IPDA_LOG=calls KMP_TEAMS_THREAD_LIMIT=1 %t teams >> %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=1 %t teams 2 >> %t.log 2>&1
// RUN: %FileCheck %s --check-prefix=TEAMS < %t.log
// TEAMS: ipda: teams at {{.*}} predicted [[ONE:[0-9.e-]+]] s on the host
// TEAMS: ipda: teams at {{.*}} predicted [[ONE]] s on the host
// TEAMS: ipda: teams at {{.*}} predicted [[ONE]] s on the host
// TEAMS: ipda: teams at {{.*}} predicted [[ONE]] s on the host
// TEAMS: ipda: teams at {{.*}} predicted [[ONE]] s on the host
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=1 %t threads > %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=2 %t threads >> %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=2 %t within >> %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=2 %t threads >> %t.log 2>&1
// RUN: env IPDA_LOG=calls OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=2 %t within >> %t.log 2>&1
// RUN: %FileCheck %s --check-prefix=THREADS < %t.log
// THREADS: ipda: threads at {{.*}} predicted [[ONE:[0-9.e-]+]] s on the host
// THREADS: ipda: threads at {{.*}} predicted [[ONE]] s on the host
// THREADS: ipda: threads at {{.*}} predicted [[ONE]] s on the host
// THREADS-NOT: predicted [[ONE]] s
// THREADS: ipda: threads at {{.*}} predicted [[TWO:[0-9.e-]+]] s on the host
// THREADS: ipda: threads at {{.*}} predicted [[TWO]] s on the host
#include <omp.h>
#include <stdlib.h>
#include <string.h>
enum { N = 100000 };
static float a[N];
static void teams(float *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < 1000; ++j)
      p[i] = p[i] * 0.5f + 1;
}
static void threads(float *p) {
#pragma omp target parallel for map(tofrom : p[0 : N])
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < 1000; ++j)
      p[i] = p[i] * 0.5f + 1;
}
int main(int argc, char **argv) {
  if (argc > 2)
    omp_set_num_threads(atoi(argv[2]));
  if (!strcmp(argv[1], "teams"))
    teams(a);
  else if (!strcmp(argv[1], "threads"))
    threads(a);
  else
#pragma omp parallel num_threads(2)
#pragma omp single
    threads(a);
}
