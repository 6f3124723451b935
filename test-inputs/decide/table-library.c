// A library that is preloaded is offered each region once, puts in numbers of other machines, names another device, and keeps what launches took; without it
// nothing is missing.
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: %clang -O2 -w -shared -fPIC -x c %S/table-library-hooks.inc -o %t.so
// RUN: env IPDA_OFFLOAD=model IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=WITHOUT
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// RUN: env LD_PRELOAD=%t.so DEVICE=2 IPDA_OFFLOAD=never %t 2>&1 | %FileCheck %s --check-prefix=NEVER
// RUN: env LD_PRELOAD=%t.so DEVICE=2 IPDA_OFFLOAD=always IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=ALWAYS
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so DEVICE=2 IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=OTHER
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so DEVICE=2 %t there 2>&1 | %FileCheck %s --check-prefix=THERE
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so DEVICE=2 IPDA_LOG=calls %t host 2>&1 | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so KEPT=1 %t 2>&1 | %FileCheck %s --check-prefix=KEPT
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%t.so KEPT=1 IPDA_LEARN=off %t 2>&1 | %FileCheck %s --check-prefix=OFF
// RUN: env IPDA_OFFLOAD=model HOOKS=quiet LD_PRELOAD=%t.so IPDA_LOG=summary %t 2>&1 | %FileCheck %s --check-prefix=QUIET
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

// CHECK: region add at {{.*}}table-library.c:{{[0-9]+}}, table 1, {{[1-9][0-9]*}} numbers
// CHECK-NEXT: ipda: add at {{.*}} (n = 1): on the host; predicted {{.*}} there
// CHECK-NEXT: ipda: add at {{.*}}: took {{.*}} s on the host
// CHECK-NEXT: ipda: add at {{.*}} (n = 2): on the host
// CHECK-NOT: region
// CHECK: 3 2 1

// Who forces the host or the device gets it.
// NEVER-NOT: device
// NEVER: 3 2 1
// ALWAYS-NOT: device 1
// ALWAYS: ipda: add at {{.*}} (n = 2): on the device
// ALWAYS-NEXT: launch on device -1
// ALWAYS: 3 2 1

// The second launch goes to another device, unless that holds what is mapped.
// OTHER: device 1, 1 value 1, predicted
// OTHER-NEXT: ipda: add at {{.*}} (n = 1): on the host
// OTHER: device 2, 1 value 2, predicted
// OTHER-NEXT: ipda: add at {{.*}} (n = 2): on the device
// OTHER-NEXT: launch on device 2
// OTHER-NEXT: ipda: add at {{.*}}: took {{.*}} s on the device
// OTHER: device 3, 1 value 3
// OTHER: 3 2 1
// THERE: device 2, 1 value 2
// THERE-NOT: launch on device
// THERE: 3 2 1

// Where the default device is the host, its launches stay there, and there is nothing to choose, although the runtime does not call that data present.
// HOST: none at {{.*}}: on the host, by the runtime
// HOST: none at {{.*}}: on the host, by the runtime
// HOST-NOT: launch on device

// The host's first launch is not measured, and the other two are of one class.
// KEPT: region add
// KEPT-NEXT: keep 0 and 1 measured, open, a factor
// KEPT-NEXT: keep 0 and 2 measured, open, a factor
// KEPT-NEXT: 3 2 1
// OFF: region add
// OFF-NEXT: 3 2 1

// QUIET-NOT: device
// QUIET: 3 2 1
// QUIET: ipda: region
// QUIET-NEXT: ipda: add at {{.*}}  host  {{ *}}3
