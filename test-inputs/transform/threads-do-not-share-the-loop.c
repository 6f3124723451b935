// RUN: %device | %FileCheck %s
//
// Loops that are shared among teams alone: there are no threads to fuse loops for, and the remark says so. Written as one construct, threads
// share the loop.

#define LOOPS(name, first, second) \
  void name(int n, int m, float *restrict A, const float *restrict x) { \
    _Pragma(first) \
    _Pragma(second) \
    for (int i = 0; i < n; ++i) \
      for (int j = 0; j < m; ++j) \
        A[i * m + j] = x[i] + j; \
  }

LOOPS(loop_in_teams, "omp target teams", "omp loop")
LOOPS(teams_in_target, "omp target", "omp teams loop")
LOOPS(distributed, "omp target", "omp teams distribute")
LOOPS(shared_by_threads, "omp target teams", "omp distribute parallel for")

// CHECK: region 'loop_in_teams'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop is shared among teams, but not among the threads of a team' at {{.*}}threads-do-not-share-the-loop.c:15:1
// CHECK: region 'teams_in_target'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop is shared among teams, but not among the threads of a team'
// CHECK: region 'distributed'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop is shared among teams, but not among the threads of a team'
// CHECK: region 'shared_by_threads'
// CHECK: transformation possible threads i j
