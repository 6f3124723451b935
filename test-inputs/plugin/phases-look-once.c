// In each phase regions are found once, and each is flattened once and analysed once, whoever asks: the report, the plan for its loops, and the
// decision about its launches. IPDA_TRACE tells what was done.
// REQUIRES: cuda
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: env IPDA_TRACE=phase IPDA_CHECK=1 IPDA_REPORT=%t/r.yaml %clang %load -O2 %nvptx -c %s -o %t/traced.o 2> %t/trace
// RUN: %FileCheck %s < %t/trace
//
// Both sides find regions before and after optimisation.
// RUN: grep -c ': find: ' %t/trace | %FileCheck %s --check-prefix=FOUND
// FOUND: {{^4$}}
//
// No step of a phase is done twice with one region.
// RUN: sed -E 's/^(ipda: [^:]*: [a-z ]* [^ ]*:[0-9]+):.*/\1/; t; d' %t/trace | sort > %t/steps
// RUN: uniq -d %t/steps > %t/twice
// RUN: test ! -s %t/twice
// RUN: grep -c 'look: flatten' %t/steps | %FileCheck %s --check-prefix=SIX
// RUN: grep -c 'look: analyse' %t/steps | %FileCheck %s --check-prefix=SIX
// RUN: grep -c 'look: describe' %t/steps | %FileCheck %s --check-prefix=SIX
// SIX: {{^6$}}
//
// Without a report, what launches decide by is found from as few.
// RUN: env IPDA_TRACE=phase %clang %load -O2 %nvptx -c %s -o %t/decides.o 2> %t/decides
// RUN: grep -c 'look: flatten' %t/decides | %FileCheck %s --check-prefix=SIX
// RUN: grep -c 'look: analyse' %t/decides | %FileCheck %s --check-prefix=SIX
//
// The host's code is looked at once for all regions; machine code is generated for that only where it is asked for.
// RUN: grep -c 'host, end: cost model: 3 of 3 regions' %t/decides | %FileCheck %s --check-prefix=ONE
// RUN: not grep 'analyser' %t/decides
// RUN: env IPDA_TRACE=phase IPDA_MODEL=mca IPDA_REPORT=%t/r.yaml %clang %load -O2 %nvptx -c %s -o %t/analysed.o 2> %t/analysed
// RUN: grep -c 'host, end: machine-code analyser: 3 of 3 regions' %t/analysed | %FileCheck %s --check-prefix=ONE
// ONE: {{^1$}}
//
// How long phases and regions took.
// RUN: env IPDA_TRACE=time %clang %load -O2 %nvptx -c %s -o %t/timed.o 2>&1 | %FileCheck %s --check-prefix=TIME
// RUN: cmp %t/timed.o %t/decides.o
//
// Nobody is told unless it is asked for, and nothing else comes out.
// RUN: env IPDA_REPORT=%t/r.yaml %clang %load -O2 %nvptx -c %s -o %t/plain.o > %t/said 2>&1
// RUN: test ! -s %t/said
// RUN: env IPDA_TRACE=off IPDA_CHECK=0 IPDA_REPORT=%t/r.yaml %clang %load -O2 %nvptx -c %s -o %t/plain.o > %t/said 2>&1
// RUN: test ! -s %t/said
// RUN: cmp %t/traced.o %t/plain.o
//
// As pass parameters, and in the file of options.
// RUN: %compile-device %s -o %t/m.bc
// RUN: %opt -passes='print<ipda;trace=phase;check=1>' -disable-output %t/m.bc 2>&1 | %FileCheck %s --check-prefix=PRINT
// RUN: printf 'trace: phase\ncheck: 1\n' > %t/ipda.yaml
// RUN: %opt -passes='print<ipda>' -disable-output %t/m.bc 2>&1 | %FileCheck %s --check-prefix=PRINT
// RUN: env IPDA_TRACE=off %opt -passes='print<ipda>' -disable-output %t/m.bc 2>&1 | %FileCheck %s --check-prefix=OFF

double sqrt(double);

void rows(int n, double (*a)[n]) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i][j] = 2.0 * a[i][j];
}

void scale(int n, double x, double *y) {
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] *= x;
#pragma omp target teams distribute parallel for map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = sqrt(y[i]);
}

// CHECK: ipda: device, start: find: 3 regions, {{[0-9.]+}} ms
// CHECK: ipda: device, look: flatten rows:[[#ROWS:]]: {{[0-9]+}} instructions, {{[0-9.]+}} ms
// CHECK-NEXT: ipda: device, look: names: 3 regions of the host's, {{[0-9.]+}} ms
// CHECK-NEXT: ipda: device, look: analyse rows:[[#ROWS]]: {{[0-9]+}} of {{[0-9]+}} steps, {{[0-9.]+}} ms
// CHECK-NEXT: ipda: device, look: plan rows:[[#ROWS]]: {{[0-9]+}} of {{[0-9]+}} steps
// CHECK-NEXT: ipda: device, look: describe rows:[[#ROWS]]: {{[0-9]+}} of {{[0-9]+}} steps
// CHECK: ipda: device, look: check: look, 0 problems
// CHECK: ipda: device, change: change rows:[[#ROWS]]: done
// CHECK: ipda: device, change: check: start, 0 problems
// CHECK: ipda: device, end: find: 3 regions
// CHECK: ipda: device, end: check: end, 0 problems
// CHECK: ipda: host, start: find: 3 regions
// CHECK: ipda: host, change: check: start, 0 problems
// CHECK: ipda: host, end: tables: 3 tables
// CHECK: ipda: host, end: check: end, 0 problems
// TIME: ipda: device, start: {{[0-9.]+}} ms
// TIME-NEXT: ipda:   start: find 1 times {{[0-9.]+}} ms
// TIME-NEXT: ipda:   look: flatten 3 times {{[0-9.]+}} ms
// TIME: ipda:   between steps {{[0-9.]+}} ms
// TIME: ipda:   rows:[[#ROWS:]] {{[0-9]+}} times {{[0-9.]+}} ms
// TIME: ipda: device, end: {{[0-9.]+}} ms
// TIME: ipda:   end: count loops 3 times {{[0-9.]+}} ms
// TIME: ipda: host, start: {{[0-9.]+}} ms
// TIME: ipda: host, end: {{[0-9.]+}} ms
// TIME: ipda:   end: cost model 1 times {{[0-9.]+}} ms
// TIME: ipda:   end: tables 1 times {{[0-9.]+}} ms
// PRINT: ipda: device, print: find: 3 regions
// PRINT: ipda: device, look: check: look, 0 problems
// PRINT: region
// OFF-NOT: ipda:
// OFF: region
