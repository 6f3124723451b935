// What changed loops are guarded by is joined of many tests: that sizes fit, that products are small, that no two arrays meet. Written out as one
// polynomial, n of them have 2^n - 1 terms, and so has what threads share by them; how often the loops inside run needs none of that. Counting the
// finished loops of this kernel took 256,590 steps; it takes a seventh of them.
// REQUIRES: cuda
// RUN: env IPDA_TRACE=phase IPDA_REPORT=%t.yaml %clang %load -O2 %nvptx -c %s -o %t.o 2>&1 | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=REPORT < %t.yaml

void products(int n, int m, const float *data, float *corr) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * m]) map(from : corr[0 : m * m])
  for (int a = 0; a < m; ++a)
    for (int b = a + 1; b < m; ++b) {
      float sum = 0.0f;
      for (int i = 0; i < n; ++i)
        sum += data[i * m + a] * data[i * m + b];
      corr[a * m + b] = sum / n;
      corr[b * m + a] = sum / n;
    }
}

// CHECK: ipda: device, change: change products:[[#LINE:]]: done
// CHECK: ipda: device, end: count loops products:[[#LINE]]: {{[0-9][0-9]?[0-9]?[0-9]?[0-9]?}} of

// What runs in the fused loop is counted all the same: the sum is unrolled by two, and half of the threads have one, as b is above a, in the loop
// that takes four iterations in lockstep as in the one that takes one at a time. Nearly all numbers of a tile have an iteration.
// REPORT: resources:
// REPORT: value: floor([arg1] / 2)
// REPORT-NEXT: chance: 0.{{49999|5}}
// REPORT-NEXT: together: 4
// REPORT: value: floor([arg1] / 2)
// REPORT-NEXT: chance: 0.{{49999|5}}
// REPORT-NEXT: counts:
