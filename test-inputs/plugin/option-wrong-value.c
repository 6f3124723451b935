// Wrong values of options: one warning each with the valid values; the compilation goes on, and in a build for host and device one
// side warns for both.
// RUN: env IPDA_GPU=h2000 %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GPU
// RUN: test -s %t.o
// RUN: env IPDA_REMARKS=loud %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=REMARKS
// RUN: env IPDA_GPU=%t.missing.yaml %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GPU-FILE

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// GPU: warning: ipda: IPDA_GPU: unknown GPU `h2000`: did you mean `h200`? the known ones are {{.*}}mi210
// GPU-NOT: warning: ipda
// REMARKS: warning: ipda: IPDA_REMARKS: "loud" is not one of auto, here, off
// REMARKS-NOT: warning: ipda
// GPU-FILE: warning: ipda: IPDA_GPU: {{.*}}missing.yaml
// GPU-FILE-NOT: warning: ipda
