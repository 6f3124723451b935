// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %not %ipda-trace %t.bc --teams 4000000000 --threads 128 2>&1 | %FileCheck %s

void zero(int n, int *a) {
#pragma omp target teams distribute parallel for map(from : a[0 : n])
  for (int i = 0; i < n; ++i)
    a[i] = 0;
}

// CHECK: 4000000000 teams of 128 threads are more than the {{[0-9]+}} threads that can be run here: take fewer teams
