// RUN: %device | %FileCheck %s
//
// One team and schedule(static): thread t gets one block of ceil(n / threads) iterations, so neighbouring threads are
// 8*ceil(n / threads) bytes apart, which only the launch decides. It must not be reported as coalesced.

void axpy(int n, double a, const double *x, double *y) {
#pragma omp target parallel for schedule(static) map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: region 'axpy' at {{.*}}schedule-static-one-team.c:{{[0-9]+}} (device, spmd
// CHECK: loop0 for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 8 bytes
// CHECK: stride {{symbolic|unknown}} {{.*}}class {{symbolic|unknown}}
// CHECK: acc1 load y 8 bytes
// CHECK: stride {{symbolic|unknown}} {{.*}}class {{symbolic|unknown}}
// CHECK: acc2 store y 8 bytes
// CHECK: stride {{symbolic|unknown}} {{.*}}class {{symbolic|unknown}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3
