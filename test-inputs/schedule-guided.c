// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s --check-prefixes=CHECK,HOST
//
// On GPUs, LLVM's device runtime treats guided as dynamic: threads that ask together get consecutive chunks of one iteration, in the
// order of their lanes. x[i] and y[i] move by 4 bytes, on that assumption. The host's module does not promise it: there nothing is said. The scale factor does not depend on i: it is uniform under every assignment.

void scale(int n, const float *factor, const float *x, float *y) {
#pragma omp target teams distribute parallel for schedule(guided) \
    map(to : factor[0 : 1], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = factor[0] * x[i];
}

// CHECK: region 'scale' at {{.*}}schedule-guided.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load factor 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load x 4 bytes
// DEVICE: stride constant 4 class coalesced sectors 4..5 lines 1..2
// HOST: stride unknown '{{.+}}' class unknown
// CHECK: acc2 store y 4 bytes
// DEVICE: stride constant 4 class coalesced sectors 4..5 lines 1..2
// HOST: stride unknown '{{.+}}' class unknown
// CHECK-NOT: {{acc[0-9]}}
// DEVICE: total sectors 9 without-count 0
// DEVICE: assumes 'loop i: {{.*}}, where they ask for their chunks together
// HOST: total sectors {{.*}}without-count 2
