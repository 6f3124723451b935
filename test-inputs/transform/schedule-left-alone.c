// A schedule clause that fused loops would not do justice to: threads ask for iterations, get several in a row, or one block each; or teams
// get too few at a time for a warp.
// RUN: %device | %FileCheck %s

#define SCHEDULE(name, directive) \
  void name(int n, int m, float *restrict A, const float *restrict x) { \
    _Pragma(directive) \
    for (int i = 0; i < n; ++i) \
      for (int j = 0; j < m; ++j) \
        A[i * m + j] = x[i] + j; \
  }

SCHEDULE(dynamic, "omp target teams distribute parallel for schedule(dynamic)")
SCHEDULE(guided, "omp target teams distribute parallel for schedule(guided)")
SCHEDULE(when_it_runs, "omp target teams distribute parallel for schedule(runtime)")
SCHEDULE(ordered, "omp target parallel for ordered")
SCHEDULE(in_a_row, "omp target teams distribute parallel for schedule(static, 4)")
SCHEDULE(blocks, "omp target parallel for schedule(static)")
SCHEDULE(blocks_of_chunks, "omp target teams distribute parallel for dist_schedule(static, 64) schedule(static)")
SCHEDULE(less_than_a_warp, "omp target teams distribute parallel for dist_schedule(static, 4)")

// CHECK: region 'dynamic'
// CHECK: transformation left
// CHECK-NEXT: because 'by schedule(dynamic), threads ask for their iterations while the loop runs'
// CHECK: region 'guided'
// CHECK: transformation left
// CHECK-NEXT: because 'by schedule(guided), threads ask for their iterations while the loop runs'
// CHECK: region 'when_it_runs'
// CHECK: transformation left
// CHECK-NEXT: because 'by schedule(runtime), threads ask for their iterations while the loop runs'
// CHECK: region 'ordered'
// CHECK: transformation left
// CHECK-NEXT: because 'by ordered, threads ask for their iterations while the loop runs'
// CHECK: region 'in_a_row'
// CHECK: transformation left
// CHECK-NEXT: because 'a schedule clause gives each thread several iterations in a row'
// CHECK: region 'blocks'
// CHECK: transformation left
// CHECK-NEXT: because 'each thread runs one block of iterations, so that neighbouring threads stay apart'
// CHECK: region 'blocks_of_chunks'
// CHECK: transformation left
// CHECK-NEXT: because 'each thread runs one block of iterations, so that neighbouring threads stay apart'
// CHECK: region 'less_than_a_warp'
// CHECK: transformation left
// CHECK-NEXT: because 'a dist_schedule clause gives a team less than 32 iterations at a time, as far as is known'
