// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
// RUN: %ipda-oracle inputs %s | %FileCheck %s --check-prefix=RUNS
//
// A list of the eight nodes of each element. Each of its loads needs a sector a thread and uses an eighth of it, and all of them together use all of
// the same sectors. In 'gather', indices lead to nodes anywhere; in 'renumber', a store to what may be the list parts the loads, so that the
// first four are a group, and the others another one.

#include <stdio.h>

#define NODES_PER_ELEMENT 8
#define ELEMENTS 640
#define NODES 1000
#define NODE(e, k) nodelist[NODES_PER_ELEMENT * (e) + (k)]

// ARGS: nelem: 640
// ARGS: nodelist: { type: i32, count: 5120, fill: { modulo: 1000 } }
static void gather(int nelem, const int *nodelist, const double *x, double *volume) {
  int e;
#pragma omp target teams distribute parallel for map(to : nodelist[0 : NODES_PER_ELEMENT * nelem], x[0 : NODES]) \
    map(from : volume[0 : nelem])
  for (e = 0; e < nelem; e++) {
    const int n0 = NODE(e, 0);
    const int n1 = NODE(e, 1);
    const int n2 = NODE(e, 2);
    const int n3 = NODE(e, 3);
    const int n4 = NODE(e, 4);
    const int n5 = NODE(e, 5);
    const int n6 = NODE(e, 6);
    const int n7 = NODE(e, 7);
    volume[e] = x[n6] - x[n0] + x[n7] - x[n1] + x[n4] - x[n2] + x[n5] - x[n3];
  }
}

static void renumber(int nelem, const int *nodelist, int *low, int *high) {
  int e;
#pragma omp target teams distribute parallel for map(to : nodelist[0 : NODES_PER_ELEMENT * nelem]) \
    map(from : low[0 : nelem], high[0 : nelem])
  for (e = 0; e < nelem; e++) {
    low[e] = NODE(e, 0) + NODE(e, 1) + NODE(e, 2) + NODE(e, 3);
    high[e] = NODE(e, 4) + NODE(e, 5) + NODE(e, 6) + NODE(e, 7);
  }
}

int main(void) {
  static int nodelist[NODES_PER_ELEMENT * ELEMENTS], low[ELEMENTS], high[ELEMENTS];
  static double x[NODES], volume[ELEMENTS];
  int e;
  for (e = 0; e < NODES_PER_ELEMENT * ELEMENTS; e++)
    nodelist[e] = (7 * e) % NODES;
  for (e = 0; e < NODES; e++)
    x[e] = 0.5 * e;
#pragma omp target data map(to : nodelist, x) map(from : volume, low, high)
  {
    gather(ELEMENTS, nodelist, x, volume);
    renumber(ELEMENTS, nodelist, low, high);
  }
  printf("%g %d %d\n", volume[1], low[1], high[1]);
  return 0;
}

// CHECK: region 'gather'
// CHECK: acc0 load nodelist 4 bytes
// CHECK: stride constant 32 class coalesced, alone uncoalesced sectors 32..32 lines 8..9
// CHECK: group0 of acc0 acc1 acc2 acc3 acc4 acc5 acc6 acc7 sectors 32..33 lines 8..9 least 32
// CHECK: acc1 load nodelist
// CHECK: stride constant 32 class coalesced, alone uncoalesced sectors 32..32 lines 8..9
// CHECK: in group0
// CHECK: total sectors 40 without-count 8
// CHECK: region 'renumber'
// CHECK: group0 of acc0 acc1 acc2 acc3 sectors 32..33 lines 8..9 least 16
// CHECK: acc4 store low
// CHECK: group1 of acc5 acc6 acc7 acc8 sectors 32..33 lines 8..9 least 16
// CHECK: total sectors 72 without-count 0
// RUNS: groups of accesses, with numbers of sectors and lines of all together: {{[1-9][0-9]*}} right, 0 not
// RUNS: 0 wrong
