// REQUIRES: libomp-device-bc
// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c between-unknown-bounds.c
// RUN: %ipda report %t.yaml --width 200 | %FileCheck %s
// RUN: %ipda report %t.yaml --width 200 -D lo=0 -D hi=128 -D n=128 | %FileCheck %s --check-prefix=GIVEN
// RUN: %ipda report %t.yaml --width 200 -D lo=100 -D hi=131 -D n=128 | %FileCheck %s --check-prefix=SHORT
//
// A loop from one unknown value to another one is no loop of one iteration because each unknown value counts as much: with the other figures, it has as many
// iterations as the value that counts for the end.

// CHECK: traffic depends on hi, lo and n; with 128 for each (-D hi=... gives another value): 15,480 excessive
// GIVEN: traffic 15,480 excessive
// SHORT: traffic 768 excessive
void smooth(int n, int lo, int hi, double *restrict row, const double *restrict field) {
#pragma omp target teams distribute parallel for map(tofrom : row[0 : n]) map(to : field[0 : n * n])
  for (int i = lo; i <= hi; i++) {
    double sum = 0;
    for (int j = lo; j <= hi; j++)
      sum += field[i * n + j];
    row[i] = sum;
  }
}
