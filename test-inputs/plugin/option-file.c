// ipda.yaml in the working directory, or another file that IPDA_CONFIG names. What is wrong with it is said in one warning with the
// valid keys; the compilation goes on.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: echo "gpu: mi210" > ipda.yaml
// RUN: %clang-device %remarks %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=MI210
//
// The environment counts before the file, a named file before the one in the working directory.
// RUN: env IPDA_GPU=h200 %clang-device %remarks %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=H200
// RUN: echo "gpu: h200" > other.yaml
// RUN: env IPDA_CONFIG=other.yaml %clang-device %remarks %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=H200
//
// RUN: echo "report: {{" > ipda.yaml
// RUN: %clang-device %s -o %t.broken.s 2>&1 | %FileCheck %s --check-prefix=BROKEN
// RUN: test -s %t.broken.s
// RUN: echo "gpi: h200" > ipda.yaml
// RUN: %clang-device %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=KEY
// RUN: echo "remarks: loud" > ipda.yaml
// RUN: %clang-device %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=VALUE
// RUN: env IPDA_CONFIG=missing.yaml %clang-device %s -o %t.missing.s 2>&1 | %FileCheck %s --check-prefix=MISSING
// RUN: test -s %t.missing.s
//
// An empty file says nothing, and nothing is said about it.
// RUN: echo "" > ipda.yaml
// RUN: %clang-device %s -o %t.s > empty.out 2>&1
// RUN: test ! -s empty.out

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// MI210: counted for mi210 with 64 threads a warp
// H200: counted for h200 with 32 threads a warp
// BROKEN: warning: ipda: ipda.yaml: {{.*}}the keys are report, gpu, cpu, link, remarks
// BROKEN-NOT: warning: ipda
// KEY: warning: ipda: ipda.yaml: {{.*}}gpi{{.*}}the keys are report, gpu, cpu, link, remarks
// KEY-NOT: warning: ipda
// VALUE: warning: ipda: ipda.yaml: {{.*}}loud{{.*}}auto{{.*}}here{{.*}}off
// VALUE-NOT: warning: ipda
// MISSING: warning: ipda: cannot read missing.yaml
// MISSING-NOT: warning: ipda
