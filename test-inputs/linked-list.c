// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread follows a chain of its own through an array of nodes. Where a chain starts and where it goes next are loaded:
// after the first step nothing is known about where neighbouring threads are.
//
// Sixteen nodes, as pairs of a value's bits and the number of the next node: chains of up to six nodes that end before node 0.
// ARGS: n: 40
// ARGS: head: { type: i32, count: 40, fill: { modulo: 16 } }
// ARGS: nodes: { type: i32, values: [0, -3, 1, -2, 2, -1, 3, 0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 5, 9, 6, 10, 7, 11, 8, 12, 9, 13, 10, 14, 11, 15, 12] }

struct node {
  float value;
  int next;
};

void chain_sums(int n, int m, const int *head, const struct node *nodes, float *sums) {
#pragma omp target teams distribute parallel for \
    map(to : head[0 : n], nodes[0 : m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = head[i]; k >= 0; k = nodes[k].next)
      sum += nodes[k].value;
    sums[i] = sum;
  }
}

// CHECK: region 'chain_sums' at {{.*}}linked-list.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load head 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load {{nodes[^ ]*}} 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from head and nodes' class data-dependent
// CHECK: acc2 load {{nodes[^ ]*}} 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from head and nodes' class data-dependent
// CHECK: acc3 store sums 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
