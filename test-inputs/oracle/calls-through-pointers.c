// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %ipda-trace %t.bc --check --print-args > /dev/null
// RUN: %ipda-trace %t.bc --check | %FileCheck %s
//
// Neighbouring lanes call different functions through a pointer: each function runs for its own lanes, and both come back.

typedef int (*function)(int);
#pragma omp declare target
static int more(int x) { return x + 1; }
static int twice(int x) { return 2 * x; }
#pragma omp end declare target

void apply(int n, int *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i) {
    function f = a[i] % 2 ? more : twice;
    a[i] = f(a[i]);
  }
}

// CHECK: kernel apply:15: computes the same in 12 launches {{.*}}, no race
