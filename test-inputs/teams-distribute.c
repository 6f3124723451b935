// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Teams share the rows and there is no parallel loop: one thread of each team works. It has no neighbours that access at the
// same time, so each access takes one sector, and none may be reported as coalesced.
// nested-parallel-for.c is the twin that gives each row to the threads of a team.

void row_sums(int n, int m, const float *A, float *sums) {
#pragma omp target teams distribute map(to : A[0 : n * m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j];
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}teams-distribute.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [m] if one thread of the team
// CHECK: acc1 store sums 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs 1 if one thread of the team
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
