// RUN: %device | %FileCheck %s
//
// Teams share the rows and there is no parallel loop: one thread of each team works, so no access has a neighbour to be
// coalesced with, and none may be reported as coalesced.

void row_sums(int n, int m, const float *A, float *sums) {
#pragma omp target teams distribute map(to : A[0 : n * m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j];
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}teams-distribute.c:{{[0-9]+}} (device, generic
// CHECK-NOT: class {{coalesced|strided|uncoalesced}}
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK-NOT: class {{coalesced|strided|uncoalesced}}
// CHECK: total
