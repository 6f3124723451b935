// A loop of 19 iterations is unrolled by four, and left behind the third copy of its body: three copies run five times, and the fourth four times, so that all of
// them load 3 * 5 + 4 = 19 times. In four runs of the whole body that is 4.75 times a run, and not 4 times in each of 19 runs, as it would be were it another
// loop than the source's. One of 20 iterations is left at its end: 4 times in each of five runs.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %FileCheck %s <%t.yaml
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D cells=1000000 > %t.numbers
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan --resident -D cells=1000000 --as-at-launch > %t.launch
// RUN: python3 %S/same_kernels.py %t.numbers %t.launch

// CHECK: function: nineteen
// CHECK: resources:
// CHECK: depth: 3
// CHECK: executions:
// CHECK-NEXT: value: '4'
// CHECK: load-global: 4.75
// CHECK: store-global: 4.75
void nineteen(int cells, const double *from, double *to) {
#pragma omp target teams distribute parallel for map(to : from[0 : cells * 20]) map(from : to[0 : cells * 20])
  for (int i = 0; i < cells; i++)
    for (int q = 0; q < 19; q++)
      to[i * 20 + q] = 0.5 * from[i * 20 + q];
}

// CHECK: function: twenty
// CHECK: resources:
// CHECK: depth: 3
// CHECK: executions:
// CHECK-NEXT: value: '5'
// CHECK: load-global: 4.0
// CHECK: store-global: 4.0
void twenty(int cells, const double *from, double *to) {
#pragma omp target teams distribute parallel for map(to : from[0 : cells * 20]) map(from : to[0 : cells * 20])
  for (int i = 0; i < cells; i++)
    for (int q = 0; q < 20; q++)
      to[i * 20 + q] = 0.5 * from[i * 20 + q];
}
