// The library finds machines, and keeps what launches have learned; what the user names wins. A wrong name is reported once, and a misspelt word.
// RUN: env IPDA_GPU=h200 %clang -O2 -g -w %x86-offload %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none %t 2>&1 | %FileCheck %s --check-prefix=QUIET
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_CPU=epyc-milan IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_CPU=epyc-milan IPDA_GPU=k80 IPDA_LOG=summary %t 2>&1 | %FileCheck %s --check-prefix=SUMMARY
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_GPU=h2000 %t 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: rm -rf %t.here && mkdir %t.here && cd %t.here && env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_LEARN=yes IPDA_DEVICES=al %t 2>&1 | %FileCheck %s --check-prefix=MISSPELT
// RUN: test ! -e %t.here/yes
// RUN: rm -f %t.learned
// RUN: env IPDA_OFFLOAD=model LD_PRELOAD=%ipda-rt IPDA_LIBCUDA=/none IPDA_LEARN=%t.learned %t
// RUN: %FileCheck %s --check-prefix=LEARNED < %t.learned
#include <stdio.h>

static void add(int n, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

int main(void) {
  static float x[100];
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int n = 1; n <= 5; ++n)
    add(n, x);
  printf("%g %g %g\n", x[0], x[1], x[4]);
}

// QUIET-NOT: ipda
// QUIET: 5 4 1
// QUIET-NOT: ipda

// CHECK: ipda: predictions are for h200, epyc-milan, pcie5
// CHECK: ipda: add at {{.*}} (n = 1): on the host; predicted [[HOST:.*]] s on the host, {{.*}} there
// CHECK-NEXT: ipda: add at {{.*}}: took {{.*}} s on the host, {{.*}} times the predicted [[HOST]] s
// CHECK: ipda: add at {{.*}} (n = 5): on the host
// CHECK-NEXT: ipda: add at {{.*}}: took {{.*}} s on the host
// CHECK: 5 4 1

// SUMMARY: ipda: predictions are for k80, epyc-milan, pcie3
// SUMMARY: 5 4 1
// SUMMARY-NEXT: ipda: region {{ *}}where  launches
// SUMMARY-NEXT: ipda: add at {{.*}}  host {{ *}}5

// WRONG: ipda: IPDA_GPU=h2000: unknown GPU `h2000`: did you mean `h200`?
// WRONG-NOT: ipda
// WRONG: 5 4 1

// MISSPELT: ipda: IPDA_LEARN=yes: not on, off, or a file with a / or . in its name; it is taken as if it had not been set
// MISSPELT-NEXT: ipda: IPDA_DEVICES=al: not one of any, default; it is taken as if it had not been set
// MISSPELT-NOT: ipda
// MISSPELT: 5 4 1

// LEARNED: ipda learned 2
// LEARNED-NEXT: {{.*}}open{{.*}}h200, x86_64{{.*}}, pcie5{{.*}}add at
