// The twin of interchange-sweep.c: here an iteration needs its neighbour's of the row before, which is in another thread if i is fused.
// RUN: %device | %FileCheck %s

void sweep(int nk, int nj, int ni, double *x) {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int j = 1; j < nj; ++j)
      for (int i = 1; i < ni; ++i)
        x[(k * nj + j) * ni + i] -= x[(k * nj + j - 1) * ni + i - 1];
}

// CHECK: transformation left threads k
// CHECK-NEXT: because '{{.*}}dependence of x{{.*}}' at {{.*}}interchange-diagonal.c:9:34 at {{.*}}interchange-diagonal.c:9:37
