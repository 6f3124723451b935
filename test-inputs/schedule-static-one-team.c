// RUN: %device | %FileCheck %s
//
// One team and schedule(static): each thread gets one block of consecutive iterations. The runtime balances the blocks: the
// first n % threads threads get n / threads + 1 iterations, the others n / threads. So neighbouring threads are one of two
// distances apart, of which only the launch decides, and a warp may contain both: up to thread T there are min(T, n % threads) iterations
// more than T * (n / threads). No constant stride may be reported, and no single quotient either.  target-parallel-for.c is the twin without the clause.

void axpy(int n, double a, const double *x, double *y) {
#pragma omp target parallel for schedule(static) map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: region 'axpy' at {{.*}}schedule-static-one-team.c:{{[0-9]+}} (device, spmd
// CHECK: loop0 for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 8 bytes
// CHECK: stride per-lane 8*[lane number]*floor([n] / [threads of loop])
// CHECK-SAME: + 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), [lane number] + 32*[warp of team])
// CHECK-SAME: - 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), 32*[warp of team]) class symbolic{{$}}
// CHECK: acc1 load y 8 bytes
// CHECK: stride per-lane 8*[lane number]*floor([n] / [threads of loop])
// CHECK-SAME: + 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), [lane number] + 32*[warp of team])
// CHECK-SAME: - 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), 32*[warp of team]) class symbolic{{$}}
// CHECK: acc2 store y 8 bytes
// CHECK: stride per-lane 8*[lane number]*floor([n] / [threads of loop])
// CHECK-SAME: + 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), [lane number] + 32*[warp of team])
// CHECK-SAME: - 8*min([n] - [threads of loop]*floor([n] / [threads of loop]), 32*[warp of team]) class symbolic{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3
