// Loops that count down by two: how often the changed loop runs is known modulo the width of its counter.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 3 kernels, 3 transformed; of these new code ran in 3,
// RUNS: launches compared, 0 wrong
//
// ARGS: n: 37
// ARGS: m: 21

// One colour of a line relaxation.
// CHECK: region 'relax'
// CHECK: transformation possible
void relax(int n, int m, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = n - 1; i > 0; i -= 2)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += a[(i - 1) * m + j];
}

// CHECK: region 'both'
// CHECK: transformation possible
void both(int n, int m, double *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (int i = n - 1; i > 0; i -= 2)
    for (int j = m; j-- > 0;)
      a[i * m + j] += a[(i - 1) * m + j];
}

// CHECK: region 'unsigned_rows'
// CHECK: transformation possible
void unsigned_rows(unsigned n, unsigned m, float *a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m])
  for (unsigned i = n; i > 2; i -= 3)
    for (unsigned j = 0; j < m; ++j)
      a[(i - 1) * m + j] *= 2;
}
