// Where the compiler may not use the registers in which a launch compares times, launches have no choice, and say so.
// RUN: %clang -O2 -w %x86-offload -mno-sse %load -Rpass-missed=ipda -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -w %x86-offload -mno-sse2 %load -Rpass-missed=ipda -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -w %x86-offload -mgeneral-regs-only %load -Rpass-missed=ipda -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %clang -O2 -w %x86-offload -mno-sse -mno-80387 %load -Rpass-missed=ipda -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: env IPDA_GPU=h200 %clang -O2 -w %x86-offload -mno-sse -mno-80387 %load %s -o %t -Wl,-rpath,%llvm-lib
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=RUNS --implicit-check-not=ipda
// Its twin, with these registers, has the choice.
// RUN: %clang -O2 -w %x86-offload -mno-avx %load -Rpass-missed=ipda %s -o %t -Wl,-rpath,%llvm-lib 2>&1 | %FileCheck %s --allow-empty --check-prefix=CHOICE
// RUN: env IPDA_OFFLOAD=never IPDA_LOG=calls %t 2>&1 | %FileCheck %s --check-prefix=HOST
// CHECK: :[[#@LINE+7]]:{{[0-9]+}}: its launches stay on the device: a launch compares times in floating point, which -mno-sse, -mno-sse2 or -mgeneral-regs-only forbids [NoFloatingPoint]
// CHOICE-NOT: NoFloatingPoint
// RUNS: 1 1
// HOST: ipda: add at {{.*}}: on the host
#include <stdio.h>
enum { N = 1000 };
static void add(int *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
  for (int i = 0; i < N; ++i)
    p[i] += 1;
}
int main(void) {
  static int a[N];
  add(a);
  printf("%d %d\n", a[0], a[N - 1]);
}
