// A prediction with values for which the guard fails compares the loops as they were written, as they will run.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g -w %nvptx -c %load %s -o %t.o
// RUN: %ipda predict %t.yaml -D n=1000 -D m=1000 --details | %FileCheck %s --check-prefix=HOLDS
// RUN: %ipda predict %t.yaml -D n=60000 -D m=40000 --details | %FileCheck %s --check-prefix=FAILS
//
// HOLDS-NOT: does not hold
// HOLDS: device, loops collapsed
// FAILS: {{^  device   }}
// FAILS: device, if loops were collapsed
// FAILS: the loops run as they were written: n*m < 2^31 - 2^20 does not hold
void add_to_rows(float *a, const float *b, int n, int m) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i * m + j] += b[i];
}
