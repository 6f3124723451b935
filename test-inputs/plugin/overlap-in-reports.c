// REQUIRES: cuda, libomp-device-bc
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
// RUN: rm -rf %t.pages && %ipda report %t.yaml --html %t.pages --source %S && cat %t.pages/*overlap-in-reports.c.html | %FileCheck %s --check-prefix=PAGE
//
// Who reads a report learns that threads do several iterations at once, in a terminal and in a page.
//
// CHECK: code {{.*}}registers a thread
// CHECK-NEXT: each thread does 3 iterations at once, changed by the plugin: their loads are under way together
// PAGE: each thread does 3 iterations at once, changed by the plugin: their loads are under way together.

void scale(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i];
}
