// Each thread loads the 19 values of its own cell, 76 bytes, computes, and stores 19 into another array. All loads stand in front of the stores: they are under way
// together, and find each other's sectors; so do the stores in L2. 2097152 cells are 159 MB in and 159 MB out: 319 MB, and, as a cell begins anywhere in a sector,
// up to one sector more for each cell and array, 134 MB. (A load for each store was counted, each of which had to find its sector again: 2.5 GB.)
// The report says how many runs of loads there are; where stores lie between, as in `in_turn`, there are as many as stores, and it says nothing.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --cpu epyc-milan --resident --region relax -D cells=2097152 --details | %FileCheck --check-prefix=BYTES %s
// RUN: %FileCheck %s < %t.yaml
// BYTES: memory bytes {{(3[12]|3[3-9]|4[0-5])[0-9](\.[0-9]+)?}} MB
// CHECK: - function: relax
// CHECK: load-global: 19.0
// CHECK-NEXT: store-global: 19.0
// CHECK: load_runs: 1.0
// CHECK: - function: in_turn
// CHECK-NOT: load_runs
#define PARTS 19
#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18)

void relax(const float *from, float *to, int cells, float rate) {
#pragma omp target teams distribute parallel for map(to : from[0 : cells * PARTS]) map(from : to[0 : cells * PARTS])
  for (int i = 0; i < cells; i++) {
#define LOAD(q) float f##q = from[i * PARTS + q];
#define ADD(q) +f##q
#define STORE(q) to[i * PARTS + q] = f##q + rate * (mean - f##q);
    EACH(LOAD)
    float mean = (0.0f EACH(ADD)) * (1.0f / PARTS);
    EACH(STORE)
  }
}

void in_turn(const float *from, float *to, int cells, float rate) {
#pragma omp target teams distribute parallel for map(to : from[0 : cells * PARTS]) map(from : to[0 : cells * PARTS])
  for (int i = 0; i < cells; i++) {
#define MOVE(q) to[i * PARTS + q] = rate * from[i * PARTS + q];
    EACH(MOVE)
  }
}
