// IPDA_REPORT=FOLDER: a file for each translation unit, named after the source. A slash at the end makes the folder.
// RUN: rm -rf %t && mkdir %t
// RUN: env IPDA_REPORT=%t %clang-device %s -o %t.s
// RUN: ls %t | %FileCheck %s
// RUN: env IPDA_REPORT=%t/new/folder/ %clang-device %s -o %t.s
// RUN: ls %t/new/folder | %FileCheck %s
// RUN: %ipda report %t/new/folder | %FileCheck %s --check-prefix=TABLE

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK: report-folder.c.ipda.yaml
// TABLE: report-folder.c: 1 OpenMP target region
