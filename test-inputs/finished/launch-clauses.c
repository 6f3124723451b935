// The clauses that bound teams and threads are in the report: numbers, or what the region captures.
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only %load -c %s -o %t.o
// RUN: %FileCheck %s < %t.yaml

void bounded(int n, float *x) {
#pragma omp target teams distribute parallel for num_teams(8) thread_limit(64) num_threads(32) map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

// CHECK: function: bounded
// CHECK: launch:
// CHECK-NEXT: num_teams:
// CHECK-NEXT: value: '8'
// CHECK-NEXT: thread_limit:
// CHECK-NEXT: value: '64'
// CHECK-NEXT: num_threads:
// CHECK-NEXT: value: '32'

void unbounded(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}

// CHECK: function: unbounded
// CHECK-NOT: launch:
