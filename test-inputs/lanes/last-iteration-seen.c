// Loops whose last iteration or number of iterations somebody sees stay as they are written, each with its reason: what `linear` and `lastprivate` hand out,
// what `ordered` does in turn, and what `cancel` ends early.
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE

void with_linear(int n, int m, double *a, const double *b) {
  int turn = 0;
#pragma omp target map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
#pragma omp parallel for linear(turn : 1)
  for (int i = 0; i < n; ++i) {
    turn++;
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[i * m + j] * turn;
  }
}

void with_lastprivate(int n, int m, double *a, const double *b, int *last) {
  int sum;
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n * m]) map(from : sum) lastprivate(sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      a[i * m + j] += b[i * m + j];
      sum = i + j;
    }
  *last = sum;
}

void with_ordered(int n, int m, double *a, const double *b) {
#pragma omp target map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[i * m + j];
#pragma omp ordered
    a[0] += 1;
  }
}

void with_cancel(int n, int m, double *a, const double *b) {
#pragma omp target map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[i * m + j];
    if (a[i * m] < 0) {
#pragma omp cancel for
    }
  }
}

// Without any of these, the same loops are fused.
void with_none(int n, int m, double *restrict a, const double *restrict b) {
#pragma omp target map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[i * m + j];
}

// CHECK: region 'with_linear'
// CHECK: transformation left
// CHECK-NEXT: because 'a value goes from one iteration to the next, or is used after the loop'
// CHECK: region 'with_lastprivate'
// CHECK: transformation left
// CHECK-NEXT: because 'sum goes from one iteration to the next, or is used after the loop'
// CHECK: region 'with_ordered'
// CHECK: transformation left
// CHECK-NEXT: because 'by ordered, threads ask for their iterations while the loop runs'
// CHECK: region 'with_cancel'
// CHECK: transformation left
// CHECK-NEXT: because 'by cancel, a loop ends early: its iterations are not numbered'
// CHECK: region 'with_none'
// CHECK: transformation possible threads i j

// JUDGE: launches compared, 0 wrong
