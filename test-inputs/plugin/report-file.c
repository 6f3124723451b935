// IPDA_REPORT=FILE: one file, of the side that speaks; the program prints it.
// RUN: rm -f %t.yaml
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %x86-offload %load -c %s -o %t.o > %t.out 2>&1
// RUN: test ! -s %t.out
// RUN: %FileCheck %s --input-file=%t.yaml
// RUN: %ipda report %t.yaml | %FileCheck %s --check-prefix=TABLE
//
// A later compilation replaces it, and leaves no half-written file beside it.
// RUN: env IPDA_REPORT=%t.yaml %clang-device %s -o %t.s
// RUN: %FileCheck %s --check-prefix=DEVICE --input-file=%t.yaml
// RUN: ls %t.yaml* | %FileCheck %s --check-prefix=FILES

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: ipda_report: {{[0-9]+}}
// CHECK: source: {{.*}}report-file.c
// CHECK: side: host
// CHECK: function: clear
// CHECK: line: [[#@LINE-9]]
// TABLE: report-file.c: 1 OpenMP target region
// TABLE: clear, {{.*}}report-file.c:[[#@LINE-11]]
// DEVICE: side: device
// FILES: .yaml
// FILES-NOT: .yaml.
