// REQUIRES: cuda, libomp-device-bc
// Without a host side the report of the device is finished after the optimiser, which makes SPMD regions of some generic ones.
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 %nvptx --offload-device-only -c %remarks %load %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REPORT < %t.yaml
// RUN: env IPDA_REPORT=%t.yaml %clang -O0 %nvptx --offload-device-only -c %remarks %load %s -o %t.o 2>&1 | %FileCheck %s --check-prefix=O0
// RUN: %FileCheck %s --check-prefix=REPORT-O0 < %t.yaml

void clear(int n, float *x) {
#pragma omp target teams distribute map(from : x[0 : n * n])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < n; ++j)
      x[i * n + j] = 0.0f;
  }
}

// CHECK: target region in 'clear', generic mode
// CHECK: target region in 'clear' was written so that one thread of each team starts it (generic mode); the optimiser has made all threads start it together (SPMD mode)
// REPORT: mode: made-spmd
// O0: target region in 'clear', generic mode
// O0-NOT: (SPMD mode)
// REPORT-O0: mode: generic
