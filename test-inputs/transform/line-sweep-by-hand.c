// RUN: %device | %FileCheck %s
//
// line-sweep.c as an expert writes it: the loop over systems moved out and fused with the one over planes.
//
// ARGS: nk: 40
// ARGS: nj: 8
// ARGS: ni: 10
// ARGS: diag: { type: f64, count: 4096, fill: { constant: 4 } }

void sweep(int nk, int nj, int ni, const double *sub, double *diag, const double *super, double *rhs) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : sub[0 : nk * nj * ni], super[0 : nk * nj * ni]) \
    map(tofrom : diag[0 : nk * nj * ni], rhs[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int i = 0; i < ni; ++i)
      for (int j = 0; j < nj - 1; ++j) {
        int next = j + 1;
        double factor = sub[(k * nj + next) * ni + i] / diag[(k * nj + j) * ni + i];
        diag[(k * nj + next) * ni + i] -= factor * super[(k * nj + j) * ni + i];
        rhs[(k * nj + next) * ni + i] -= factor * rhs[(k * nj + j) * ni + i];
      }
}

// CHECK: region 'sweep' at {{.*}}line-sweep-by-hand.c
