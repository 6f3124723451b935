// Where the host is predicted to be faster by less than the prediction is sure of, a launch stays on the device: whoever wrote `target` had a reason. It is
// told what the host's time counts for. The host is one that nobody measured, three of its four threads may have to be made (32 us each), and the device has
// few warps.
// RUN: env IPDA_GPU=v100 IPDA_CPU=power9 IPDA_LINK=nvlink2 IPDA_REPORT=%t.yaml %clang -O2 -g -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu %load -Wl,-rpath,%llvm-lib %s -o %t
// RUN: env IPDA_OFFLOAD=model OMP_NUM_THREADS=4 IPDA_LOG=calls %t 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=4 IPDA_LOG=calls IPDA_OFFLOAD=always %t 2>&1 | %FileCheck %s --check-prefix=ALWAYS
// RUN: env OMP_NUM_THREADS=4 IPDA_LOG=calls IPDA_OFFLOAD=never %t 2>&1 | %FileCheck %s --check-prefix=NEVER
// RUN: %ipda predict %t.yaml --gpu v100 --cpu power9 --link nvlink2 --threads 4 -D n=1000 --as-at-launch | %FileCheck %s --check-prefix=SAID
#include <stdio.h>

// Transfers alone take 40 us: the host is faster by far, and taken.
// CHECK: add at {{.*}} (n = 10): on the host; predicted {{[^ ]+}} s on the host, {{[^ ]+}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// 34 steps of a thousand elements: as long either way.
// CHECK-NEXT: add at {{.*}}: took {{[^ ]+}} s on the host, {{[^ ]+}} times the predicted
// CHECK-NEXT: add at {{.*}} (n = 1000): on the device; predicted {{[^ ]+}} s on the host, {{[^ ]+}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}, in doubt counted as {{[^ ]+}} s on the host
// CHECK-NEXT: add at {{.*}}: took {{[^ ]+}} s on the device, {{[^ ]+}} times the predicted
// CHECK-NEXT: sum 2
// Who decides by hand has no doubts.
// ALWAYS-NOT: in doubt
// ALWAYS: (n = 1000): on the device; predicted {{[^ ]+}} s on the host, {{[^ ]+}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// NEVER-NOT: in doubt
// NEVER: (n = 1000): on the host; predicted {{[^ ]+}} s on the host, {{[^ ]+}} s there, within factors of {{[0-9.]+}} and {{[0-9.]+}}{{$}}
// SAID: The host is faster
// SAID-NEXT: That is in doubt, so that IPDA_OFFLOAD=model keeps launches on the device.
static void add(int n, double *a, const double *b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n]) map(to : b[0 : n])
  for (int i = 0; i < n; ++i)
    for (int step = 0; step < 34; ++step)
      a[i] = a[i] * 0.5 + b[i];
}

int main(void) {
  enum { N = 1000 };
  static double a[N], b[N];
  for (int i = 0; i < N; ++i)
    a[i] = 2, b[i] = 1;
  add(10, a, b);
  add(N, a, b);
  printf("sum %g\n", a[N - 1]);
}
