// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c rows-of-a-list.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
//
// A list says how long rows are: there is no whole range over which the inner loop could run.
//
// CHECK: [1] {{.*}}, rows-of-a-list.c:
// CHECK-NEXT: store rows of one length, padded, if that wastes little
// CHECK-NOT: whole range

#define LONGEST 64

void scale(int n, const int *restrict length, double *restrict value) {
#pragma omp target teams distribute parallel for map(to : length[0 : n]) map(tofrom : value[0 : LONGEST * n])
  for (int r = 0; r < n; ++r)
    for (int q = 0; q < length[r]; ++q)
      value[LONGEST * r + q] *= 0.5;
}
