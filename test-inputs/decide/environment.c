// What the environment says: `OMP_TARGET_OFFLOAD=mandatory` and `IPDA_REPRODUCIBLE=1` keep the device, `disabled` the host, whatever
// IPDA_OFFLOAD says; without a word all launches run on the device, and what only choices use is reported. A device that does not exist is the runtime's matter. What is misspelt is reported, and does nothing; what is empty is not set.
//
// Where the region ran shows by an element that it does not write although it says so: fresh memory of the device is zero.
// RUN: %clang -O2 %x86-offload %load %s -o %t -Wl,-rpath,%llvm-lib
// RUN: %t | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_OFFLOAD=always %t | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_OFFLOAD=model %t | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_OFFLOAD=never %t | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=Never OMP_TARGET_OFFLOAD=default %t | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=never OMP_TARGET_OFFLOAD=mandatory %t | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_OFFLOAD=always OMP_TARGET_OFFLOAD=disabled %t | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=model OMP_TARGET_OFFLOAD=DISABLED %t | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=never IPDA_REPRODUCIBLE=1 %t | %FileCheck %s --check-prefix=DEVICE
// RUN: env IPDA_OFFLOAD=never IPDA_REPRODUCIBLE=0 %t | %FileCheck %s --check-prefix=HOST
// RUN: env IPDA_OFFLOAD=never IPDA_REPRODUCIBLE=yes %t 2>&1 | %FileCheck %s --check-prefixes=WRONG,HOST
// RUN: env IPDA_OFFLOAD=sometimes %t 2>&1 | %FileCheck %s --check-prefixes=MISSPELT,DEVICE
// RUN: env IPDA_OFFLOAD= IPDA_LOG= IPDA_REPRODUCIBLE= %t 2>&1 | %FileCheck %s --check-prefix=DEVICE --implicit-check-not=ipda
// RUN: env IPDA_OFFLOAD=never IPDA_LOG= IPDA_REPRODUCIBLE= %t 2>&1 | %FileCheck %s --check-prefix=HOST --implicit-check-not=ipda
// RUN: env IPDA_LEARN=here.txt %t 2>&1 | %FileCheck %s --check-prefixes=KEPT,DEVICE --implicit-check-not=ipda
// RUN: env IPDA_DEVICES=Any IPDA_LEARN=on %t 2>&1 | %FileCheck %s --check-prefixes=ANY,DEVICE --implicit-check-not=ipda
// RUN: env IPDA_DEVICES=default IPDA_LEARN=off %t 2>&1 | %FileCheck %s --check-prefix=DEVICE --implicit-check-not=ipda
// RUN: env IPDA_OFFLOAD=always IPDA_DEVICES=any IPDA_LEARN=here.txt %t 2>&1 | %FileCheck %s --check-prefix=DEVICE --implicit-check-not=ipda
// RUN: env IPDA_OFFLOAD=never OMP_DEFAULT_DEVICE=1 %t | %FileCheck %s --check-prefix=HOST
// RUN: %not --crash env IPDA_OFFLOAD=never OMP_DEFAULT_DEVICE=77 %t 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// RUN: %not --crash env IPDA_OFFLOAD=always OMP_DEFAULT_DEVICE=77 %t 2>&1 | %FileCheck %s --check-prefix=NOWHERE
// Variables of programs and of `ipda hw measure` may be set where something is compiled.
// RUN: env IPDA_OFFLOAD=never IPDA_LIBOMP=/none IPDA_LIBCUDA=/none %clang -O2 %x86-offload %load %s -c -o %t.o 2>&1 | %FileCheck %s --allow-empty --check-prefix=QUIET
// QUIET-NOT: IPDA_
// WRONG: ipda: IPDA_REPRODUCIBLE=yes: not one of 0, 1; it is taken as if it had not been set
// MISSPELT: ipda: IPDA_OFFLOAD=sometimes: not one of always, never, model; it is taken as if it had not been set
// KEPT: ipda: IPDA_LEARN=here.txt: launches stay on the device without IPDA_OFFLOAD=model
// ANY: ipda: IPDA_DEVICES=Any: launches stay on the device without IPDA_OFFLOAD=model
// HOST: kept 7
// DEVICE: kept 0
// NOWHERE-NOT: kept
#include <stdio.h>
enum { N = 10000000 };
static int a[N];
static void fill(int *p) {
#pragma omp target map(from : p[0 : N])
  p[0] = 1;
}
int main(void) {
  a[1] = 7;
  fill(a);
  printf("kept %d\n", a[1]);
}
