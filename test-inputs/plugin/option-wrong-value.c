// Wrong values of options: one warning each with the valid values; the compilation goes on, and in a build for host and device one
// side warns for both.
// RUN: env IPDA_GPU=h2000 %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GPU
// RUN: test -s %t.o
// RUN: env IPDA_REMARKS=loud %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=REMARKS
// RUN: env IPDA_GPU=%t.missing.yaml %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=GPU-FILE
// RUN: env IPDA_CPU=epic-milan %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=CPU
// RUN: env IPDA_LINK=pcie9 %clang -O2 %x86-offload %load -c %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=LINK
// RUN: env IPDA_GPU=h100 IPDA_CPU=epyc-milan IPDA_LINK=pcie4 %clang -O2 -Werror %x86-offload %load -c %s -o %t.o

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
// CPU: warning: ipda: IPDA_CPU: unknown CPU `epic-milan`: did you mean `epyc-milan`? the known ones are {{.*}}power9
// CPU-NOT: warning: ipda
// LINK: warning: ipda: IPDA_LINK: unknown link `pcie9`: did you mean `pcie5`? the known ones are pcie3
// LINK-NOT: warning: ipda
