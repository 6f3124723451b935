// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Who runs an iteration is seen by the program, or said by it.

int omp_get_thread_num(void);
int omp_get_team_num(void);

void schedule_of_chunks(int n, int m, float *A) {
#pragma omp target teams distribute parallel for schedule(static, 4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void schedule_of_teams(int n, int m, float *A) {
#pragma omp target teams distribute parallel for dist_schedule(static, 64)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

// The thread's number is asked for, and what comes of it is stored by one iteration after the other.
// ORACLE: depends on the launch: number_of_thread
void number_of_thread(int n, int m, int *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = omp_get_thread_num() + omp_get_team_num() * 1000;
}

// CHECK: region 'schedule_of_chunks'
// CHECK-NOT: transformation possible
// CHECK: region 'schedule_of_teams'
// CHECK-NOT: transformation possible
// CHECK: region 'number_of_thread'
// CHECK-NOT: transformation possible
