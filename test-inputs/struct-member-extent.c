// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A linearised matrix whose row length is read from a structure: the length is the same for all threads, so A[i*g->m + j]
// moves by 4 times the loaded value, a stride that is known when the program runs.

struct grid {
  int n, m;
};

void row_sums(const struct grid *g, int n, const float *A, float *sums) {
#pragma omp target teams distribute parallel for \
    map(to : g[0 : 1], A[0 : n * g->m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < 16; ++j)
      sum += A[i * g->m + j];
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}struct-member-extent.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips 16{{$}}
// CHECK: acc0 load {{g[^ ]*}} 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*{{.+}} class symbolic
// CHECK: acc2 store sums 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
