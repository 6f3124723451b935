// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Who runs an iteration is seen by the program, or said by it.
// ORACLE: depends on the launch: number_of_thread, number_in_a_variable, number_in_memory

int omp_get_thread_num(void);
int omp_get_team_num(void);

void schedule_of_chunks(int n, int m, float *A) {
#pragma omp target teams distribute parallel for schedule(static, 4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

void schedule_of_teams(int n, int m, float *A) {
#pragma omp target teams distribute parallel for dist_schedule(static, 4)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += 1;
}

// The thread's number is asked for, and what comes of it is stored by one iteration after the other.
void number_of_thread(int n, int m, int *A) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = omp_get_thread_num() + omp_get_team_num() * 1000;
}

// The number is asked for around the loop, and the loop gets it.
void number_in_a_variable(int n, int m, int *A) {
#pragma omp target parallel
  {
    int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[i * m + j] = me;
  }
}

// It goes through memory.
void number_in_memory(int n, int m, int *restrict A, int *restrict S) {
#pragma omp target parallel
  {
    int me = omp_get_thread_num();
    S[me] = 3 * me;
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[i * m + j] = S[me];
  }
}

// A thread gets the same iterations of both loops, and does not wait between them.
void loops_with_one_schedule(int n, int m, float *restrict A, float *restrict x) {
#pragma omp target parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; ++i)
      x[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        A[i * m + j] = x[i] + j;
  }
}

// CHECK: region 'schedule_of_chunks'
// CHECK-NOT: transformation possible
// CHECK: region 'schedule_of_teams'
// CHECK-NOT: transformation possible
// CHECK: region 'number_of_thread'
// CHECK-NOT: transformation possible
// CHECK: because 'omp_get_thread_num is asked for, by which iterations may know their thread'
// CHECK: region 'number_in_a_variable'
// CHECK-NOT: transformation possible
// CHECK: because 'omp_get_thread_num is asked for, by which iterations may know their thread'
// CHECK: region 'number_in_memory'
// CHECK-NOT: transformation possible
// CHECK: because 'omp_get_thread_num is asked for, by which iterations may know their thread'
// CHECK: region 'loops_with_one_schedule'
// CHECK-NOT: transformation possible
// CHECK: because 'each thread runs one block of iterations, so that neighbouring threads stay apart'
