// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Updates that look like those of a reduction, but which do more, or something else.

int marks_those_that_are_greater(int n, int m, const int *A, int *B) {
  int s = -100;
#pragma omp target teams distribute parallel for reduction(max : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (A[i * m + j] > s) {
        s = A[i * m + j];
        B[i * m + j] = 1;
      }
  return s;
}

int truth_of_a_sum(int n, int m, const int *A) {
  int s = 0;
#pragma omp target teams distribute parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = (s + A[i * m + j]) != 0;
  return s;
}

// Teams that are given four iterations at a time may rely on them, whatever becomes of the loops inside.
void blocks_of_teams(int n, int m, int l, const int *A, int *B) {
#pragma omp target teams distribute dist_schedule(static, 4)
  for (int h = 0; h < l; ++h) {
    int t = h % 4 ? B[h - 1] : 0;
#pragma omp parallel for reduction(+ : t)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        t += A[i * m + j];
    B[h] = t;
  }
}

// CHECK: region 'marks_those_that_are_greater'
// CHECK: transformation left
// CHECK-NEXT: because 'a reduction{{.*}}s variable is used in the loop beside the reduction'
// CHECK: region 'truth_of_a_sum'
// CHECK: transformation left
// CHECK-NEXT: because 'a reduction{{.*}}s variable is used in the loop beside the reduction'
// CHECK: region 'blocks_of_teams'
