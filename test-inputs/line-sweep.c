// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Forward elimination of tridiagonal systems along the middle dimension j of nk x nj x ni volumes, one plane k per
// thread. All accesses move by a plane: 8*nj*ni bytes. The sweep runs nj - 1 steps, each over ni systems.
// line-sweep-collapse2.c is the twin that puts the systems side by side on the threads.
//
// ARGS: nk: 40
// ARGS: nj: 8
// ARGS: ni: 10
// ARGS: diag: { type: f64, count: 4096, fill: { constant: 4 } }

void sweep(int nk, int nj, int ni, const double *sub, double *diag, const double *super, double *rhs) {
#pragma omp target teams distribute parallel for \
    map(to : sub[0 : nk * nj * ni], super[0 : nk * nj * ni]) \
    map(tofrom : diag[0 : nk * nj * ni], rhs[0 : nk * nj * ni])
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj - 1; ++j) {
      int next = j + 1;
      for (int i = 0; i < ni; ++i) {
        double factor = sub[(k * nj + next) * ni + i] / diag[(k * nj + j) * ni + i];
        diag[(k * nj + next) * ni + i] -= factor * super[(k * nj + j) * ni + i];
        rhs[(k * nj + next) * ni + i] -= factor * rhs[(k * nj + j) * ni + i];
      }
    }
}

// CHECK: region 'sweep' at {{.*}}line-sweep.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for k {{.*}}trips [nk] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [nj] - 1{{$}}
// CHECK: loop2 in loop1 sequential i {{.*}}trips [ni]{{$}}
// CHECK: acc0 load sub 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc1 load diag 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc2 load super 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc3 load diag 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc4 store diag 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc5 load rhs 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc6 load rhs 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK: acc7 store rhs 8 bytes
// CHECK: stride symbolic 8*[nj]*[ni] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 8

// ORACLE: by hand: transform/line-sweep-by-hand.c
