// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %not %ipda-trace %t.bc --check | %FileCheck %s
//
// Each team reads the counter atomically and writes it back atomically. No access races, and yet counts are lost when teams run at the same time.

void count(int n, int *x) {
#pragma omp target teams distribute map(tofrom : x[0 : 1])
  for (int i = 0; i < n; ++i) {
    int old;
#pragma omp atomic read
    old = x[0];
#pragma omp atomic write
    x[0] = old + 1;
  }
}

// CHECK-NOT: race
// CHECK: the result depends on the launch: {{.*}} order shuffled:1
