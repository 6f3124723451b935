// RUN: %device | %FileCheck %s
//
// Shared loops of one region that know each other by more than arrays of the program: by variables of a thread's or a team's own, by effects that are
// not followed, by what one thread alone does. All stay as they are.

#define AT(f, i, j) f[(i) * cols + (j)]

// A thread hands on what it has found, and a barrier does not change whose it is.
void handed_on(int rows, int cols, const float *restrict a, float *restrict b, float *restrict c) {
#pragma omp target
#pragma omp parallel
  {
    float s = 0;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        s += AT(a, i, j);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = s;
  }
}

void own_array(int rows, int cols, const float *restrict a, float *restrict c) {
  float t[8];
#pragma omp target
#pragma omp parallel private(t)
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      t[i & 7] = AT(a, i, 0);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = t[i & 7];
  }
}

// Teams alone share the second loop.
void behind_it_teams(int rows, int cols, const double *restrict a, double *restrict b, double *restrict c) {
#pragma omp target teams
  {
#pragma omp distribute parallel for dist_schedule(static, 32)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = AT(a, i, j) + 1;
#pragma omp distribute dist_schedule(static, 32)
    for (int i = 0; i < rows; i++)
      c[i] = AT(b, i, 0) + AT(b, i, cols - 1);
  }
}

// A parallel region inside of another one is run by each thread for itself.
void nested(int rows, int cols, const float *restrict a, float *restrict b, float *restrict c) {
#pragma omp target
#pragma omp parallel
  {
    int mine = 0;
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = 2 * AT(a, i, j);
#pragma omp parallel
    {
      mine += 1;
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = AT(b, i, j) + mine;
  }
}

// What is captured of an atomic update.
void captured(int rows, int cols, int *restrict b, int *restrict c) {
#pragma omp target
#pragma omp parallel
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = i + j;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++) {
      int v;
#pragma omp atomic capture
      v = AT(b, i, 1)++;
      c[i] = v;
    }
  }
}

// A variable that all threads of a team share.
void of_the_team(int rows, int cols, const float *restrict a, float *restrict c) {
#pragma omp target
  {
    float t[64 * 64];
#pragma omp parallel
    {
#pragma omp for schedule(static, 1) nowait
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
          t[i * 64 + j] = AT(a, i, j);
#pragma omp for schedule(static, 1)
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
          AT(c, i, j) = t[i * 64 + j];
    }
  }
}

// Before a loop, one thread writes what its own iteration reads.
void master_in_front(int rows, int cols, const float *restrict a, float *restrict b, float *restrict c) {
#pragma omp target parallel
  {
#pragma omp master
    b[0] = 5;
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = AT(a, i, j) + b[i];
  }
}

// CHECK-NOT: transformation possible
// CHECK: region 'handed_on'
// CHECK-NOT: transformation possible
// CHECK: region 'own_array'
// CHECK-NOT: transformation possible
// CHECK: region 'behind_it_teams'
// CHECK-NOT: transformation possible
// CHECK: beside other shared loops of the region, of which teams alone share one
// CHECK-NOT: transformation possible
// CHECK: region 'nested'
// CHECK-NOT: transformation possible
// CHECK: region 'captured'
// CHECK-NOT: transformation possible
// CHECK: region 'of_the_team'
// CHECK-NOT: transformation possible
// CHECK: region 'master_in_front'
// CHECK-NOT: transformation possible
// CHECK: one thread alone runs a part of the region
