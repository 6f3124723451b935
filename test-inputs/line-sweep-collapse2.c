// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// line-sweep.c with the loop over systems moved out and fused with k: neighbouring threads have neighbouring i, 8 bytes
// apart. Where a row of ni lanes ends, k grows by 1 and i falls by ni - 1: 8*nj*ni - 8*ni + 8 bytes.
//
// ARGS: nk: 12
// ARGS: nj: 14
// ARGS: ni: 20
// ARGS: diag: { type: f64, count: 4096, fill: { constant: 4 } }

void sweep(int nk, int nj, int ni, const double *sub, double *diag) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : sub[0 : nk * nj * ni]) map(tofrom : diag[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int i = 0; i < ni; ++i)
      for (int j = 0; j < nj - 1; ++j)
        diag[(k * nj + j + 1) * ni + i] -= sub[(k * nj + j + 1) * ni + i] / diag[(k * nj + j) * ni + i];
}

// CHECK: region 'sweep' at {{.*}}line-sweep-collapse2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [nk]*[ni] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [nj] - 1{{$}}
// CHECK: acc0 load sub 8 bytes
// CHECK: stride row-ends 8 at row ends 8*[ni]*[nj] - 8*[ni] + 8 every [ni] lanes class symbolic
// CHECK: acc1 load diag 8 bytes
// CHECK: stride row-ends 8 at row ends 8*[ni]*[nj] - 8*[ni] + 8 every [ni] lanes class symbolic
// CHECK: acc2 load diag 8 bytes
// CHECK: stride row-ends 8 at row ends 8*[ni]*[nj] - 8*[ni] + 8 every [ni] lanes class symbolic
// CHECK: acc3 store diag 8 bytes
// CHECK: stride row-ends 8 at row ends 8*[ni]*[nj] - 8*[ni] + 8 every [ni] lanes class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 4
