// A library that is preloaded is offered each region once, puts in numbers of other machines, turns the choice, and is notified when work ends,
// on the host and on the device; without it nothing is missing.
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %clang -O2 -w -shared -fPIC -x c %S/table-library-hooks.inc -o %t.so
// RUN: env IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=WITHOUT
// RUN: env LD_PRELOAD=%t.so IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// RUN: env LD_PRELOAD=%t.so IPDA_OFFLOAD=never %t 2>&1 | %FileCheck %s --check-prefix=NEVER
// RUN: env LD_PRELOAD=%t.so IPDA_OFFLOAD=always IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=ALWAYS
// RUN: env LD_PRELOAD=%t.so IPDA_LOG=summary %t 2>&1 | %FileCheck %s --check-prefix=SUMMARY
// RUN: env LD_PRELOAD=%t.so DEVICE=2 IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: env LD_PRELOAD=%t.so DEVICE=2 %t there 2>&1 | %FileCheck %s --check-prefix=THERE
// RUN: env LD_PRELOAD=%t.so DEVICE=2 %t host 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: env HOOKS=quiet LD_PRELOAD=%t.so IPDA_LOG=summary %t 2>&1 | %FileCheck %s --check-prefix=QUIET
#include <omp.h>
#include <stdio.h>
#include <string.h>

// Of iterations that do not happen a pointer need not lead anywhere.
static void none(int n, int m, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < m; ++i)
    x[i] += 1;
}
static void add(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

int main(int argc, char **argv) {
  static float x[100];
  // Only that device knows it: the launch must not go there.
  if (argc > 1 && !strcmp(argv[1], "there")) {
#pragma omp target enter data map(to : x) device(2)
  }
  setvbuf(stdout, NULL, _IONBF, 0);
  if (argc > 1 && !strcmp(argv[1], "host")) {
    omp_set_default_device(omp_get_initial_device());
    none(1, 0, NULL);
    none(1, 0, NULL);
    return 0;
  }
  for (int n = 1; n <= 3; ++n)
    add(n, x);
  printf("%g %g %g\n", x[0], x[1], x[2]);
}

// WITHOUT: add at {{.*}} (n = 1):
// WITHOUT: 3 2 1

// The second launch is turned to the other place.
// CHECK: region add at {{.*}}table-library.c:{{[0-9]+}}, table 1, {{[1-9][0-9]*}} numbers
// CHECK-NEXT: choose 7, 1 value 1
// CHECK-NEXT: ipda: add at {{.*}} (n = 1): on the host; predicted {{.*}} there
// CHECK-NEXT: end 1 on the host
// CHECK-NEXT: choose 7, 1 value 2
// CHECK-NEXT: ipda: add at {{.*}} (n = 2): on the device
// CHECK-NEXT: launch on device -1
// CHECK-NEXT: end 2 on the device
// CHECK-NEXT: choose 7, 1 value 3
// CHECK-NEXT: ipda: add at {{.*}} (n = 3): on the host
// CHECK-NEXT: end 3 on the host
// CHECK-NEXT: 3 2 1
// CHECK-NOT: region

// Who forces the host or the device gets it.
// NEVER: choose 1, 1 value 2
// NEVER: end 2 on the host
// NEVER: 3 2 1
// ALWAYS: choose 0, 1 value 2
// ALWAYS-NEXT: ipda: add at {{.*}} (n = 2): on the device
// ALWAYS-NEXT: launch on device -1
// ALWAYS-NEXT: end 2 on the device
// ALWAYS: 3 2 1

// The second launch goes to another device, unless that holds what is mapped.
// OTHER: choose 7, 1 value 2
// OTHER: launch on device 2
// OTHER: end 2 on the device
// OTHER: 3 2 1
// THERE: choose 7, 1 value 2
// THERE: launch on device -1
// THERE: end 2 on the device
// THERE: 3 2 1

// Where the default device is the host, its launches stay there, and there is nothing to choose, although the runtime does not call that data present.
// HOST: choose 1, 2 value 0
// HOST-NEXT: end 1 on the host
// HOST-NEXT: choose 1, 2 value 0
// HOST-NEXT: end 2 on the host
// HOST-NOT: launch on device

// Sums are the library's to tell, where it measures.
// SUMMARY-NOT: launches on the host
// SUMMARY: 3 2 1
// SUMMARY-NOT: launches on the host
// QUIET-NOT: choose
// QUIET: 3 2 1
// QUIET: add at {{.*}}: {{[0-9]}} launches on the host, {{[0-9]}} on the device
