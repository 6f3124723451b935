// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread follows a chain of its own through an array of nodes. Where a chain starts and where it goes next are loaded:
// after the first step nothing is known about where neighbouring threads are.

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
// CHECK: stride {{unknown|data-dependent}} '{{.+}}' class {{unknown|data-dependent}}
// CHECK: acc2 load {{nodes[^ ]*}} 4 bytes
// CHECK: stride {{unknown|data-dependent}} '{{.+}}' class {{unknown|data-dependent}}
// CHECK: acc3 store sums 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
