// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %not %ipda-trace %t.bc --args %t.yaml --max-steps 100000 2>&1 | %FileCheck %s
//
// The loop's variable never changes.
// ARGS: n: 20

void wait_for(int n, volatile int *flag) {
#pragma omp target teams distribute parallel for map(tofrom : flag[0 : n])
  for (int i = 0; i < n; ++i)
    while (flag[i] < 100)
      ;
}

// CHECK: kernel wait_for:10 cannot be run: {{.*}}fault-endless-loop.c:{{[0-9]+}}:{{[0-9]+}}: more than 100000 operations: an endless loop, or a launch that is too large (--max-steps allows more) (team 0, thread 0)
