// Along j each iteration needs the one before: j stays in the threads. i is brought out of it and fused with k.
// RUN: %device | %FileCheck %s

void sweep(int nk, int nj, int ni, const double *below, double *x) {
#pragma omp target teams distribute parallel for map(to : below[0 : nk * nj * ni]) map(tofrom : x[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int j = 1; j < nj; ++j)
      for (int i = 0; i < ni; ++i)
        x[(k * nj + j) * ni + i] -= below[(k * nj + j) * ni + i] * x[(k * nj + j - 1) * ni + i];
}

// CHECK: transformation possible threads k i
// CHECK: clause 'write the loops in the order k, i, j and add collapse(2)'
