// IPDA_REMARKS: `off` silences both sides, `here` makes every compilation speak, also the device's beside a host's. The report is
// another matter.
// RUN: env IPDA_REMARKS=off IPDA_REPORT=%t.yaml %clang -O2 %x86-offload %remarks %load -c %s -o %t.o > %t.out 2>&1
// RUN: test ! -s %t.out
// RUN: test -s %t.yaml
// RUN: env IPDA_REMARKS=here %clang -O2 %x86-offload %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: env IPDA_REMARKS=auto %clang -O2 %x86-offload %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=AUTO

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK-COUNT-2: target region in 'clear'
// CHECK-NOT: target region in
// AUTO-COUNT-1: target region in 'clear'
// AUTO-NOT: target region in
