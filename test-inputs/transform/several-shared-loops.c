// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %amdgcn | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Several loops of one region that threads share: each is changed for itself, and what stands between them, barriers above all, stays. Where threads
// do not wait for each other between two of them that touch the same data, who runs an iteration of one may rely on having run the same of the other.
//
// ARGS: rows: 9
// ARGS: cols: 37
// ARGS: steps: 3

#define AT(f, i, j) f[(i) * cols + (j)]

// Two loops of one parallel region, with C89 counters.
void smooth(int rows, int cols, const float *restrict wide, float *restrict soft, float *restrict slope) {
  int i, j;
#pragma omp target
#pragma omp parallel private(i, j)
  {
#pragma omp for
    for (i = 0; i < rows; i++)
      for (j = 1; j < cols - 1; j++)
        AT(soft, i, j) = (AT(wide, i, j - 1) + 2 * AT(wide, i, j) + AT(wide, i, j + 1)) * 0.25f;
#pragma omp for
    for (i = 0; i < rows; i++)
      for (j = 1; j < cols - 1; j++)
        AT(slope, i, j) = AT(soft, i, j + 1) - AT(soft, i, j - 1);
  }
}

// CHECK: region 'smooth'
// CHECK: transformation possible threads {{i|loop0}} {{j|loop1}} sectors
// CHECK: transformation possible threads {{i|loop2}} {{j|loop3}} sectors

// Teams do not wait for each other: right where no array of one loop is written by the other.
void fluxes(int rows, int cols, const double *restrict u, const double *restrict v, double *restrict fx, double *restrict fy) {
  int i, j;
#pragma omp target teams
  {
#pragma omp distribute parallel for private(i, j)
    for (i = 0; i < rows - 1; i++)
      for (j = 0; j < cols; j++)
        AT(fx, i, j) = AT(u, i, j) + AT(u, i + 1, j);
#pragma omp distribute parallel for private(i, j)
    for (i = 0; i < rows; i++)
      for (j = 0; j < cols - 1; j++)
        AT(fy, i, j) = AT(v, i, j) + AT(v, i, j + 1);
  }
}

// CHECK: region 'fluxes'
// CHECK: transformation possible
// CHECK: if 'fx and fy do not overlap'
// CHECK: transformation possible
// CHECK: if 'fx and fy do not overlap'

// The second loop reads what other teams may not have written yet.
void teams_that_read_each_other(int rows, int cols, const double *restrict u, double *restrict fx, double *restrict fy) {
#pragma omp target teams
  {
#pragma omp distribute parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(fx, i, j) = 2 * AT(u, i, j);
#pragma omp distribute parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(fy, i, j) = AT(fx, i, j) + 1;
  }
}

// CHECK: region 'teams_that_read_each_other'
// CHECK-NOT: transformation possible
// CHECK: teams do not wait for each other in between: with several it is a race as written

// A parallel region each, with sequential code before and between them.
void phases(int rows, int cols, const double *restrict a, double *restrict b, double *restrict sums) {
#pragma omp target
  {
    double scale = 2;
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      sums[i] = 0;
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = scale * AT(a, i, j);
    scale += sums[0] + AT(b, 0, 0);
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) += scale;
  }
}

// CHECK: region 'phases'
// CHECK: transformation possible threads i j
// CHECK: transformation possible threads i j

// A thread has the same iterations of both loops, and does not wait in between: as written it reads what it has written.
void without_barrier(int rows, int cols, const float *restrict a, float *restrict b, float *restrict c) {
#pragma omp target parallel
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = 2 * AT(a, i, j);
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = 3 * AT(b, i, j);
  }
}

// CHECK: region 'without_barrier'
// CHECK-NOT: transformation possible
// CHECK: threads do not wait in between

// Not so where the arrays are others: no barrier is needed.
void without_need_of_a_barrier(int rows, int cols, const float *restrict a, float *restrict b, float *restrict c) {
#pragma omp target parallel
  {
#pragma omp for nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = 2 * AT(a, i, j);
#pragma omp for nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(c, i, j) = 3 * AT(a, i, j);
  }
}

// CHECK: region 'without_need_of_a_barrier'
// CHECK: transformation possible
// CHECK: transformation possible

// Time steps inside of the region, two arrays in turn. The end of the second loop is no barrier for the first one of the next step.
void steps_in_turn(int rows, int cols, int steps, float *restrict a, float *restrict b) {
#pragma omp target parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = AT(a, i, j) * 0.5f;
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(a, i, j) = AT(b, i, j) + 1;
  }
}

// CHECK: region 'steps_in_turn'
// CHECK-NOT: transformation possible
// CHECK: threads do not wait in between

void steps_with_barriers(int rows, int cols, int steps, float *restrict a, float *restrict b) {
#pragma omp target parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = AT(a, i, j) * 0.5f;
#pragma omp for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(a, i, j) = AT(b, i, j) + 1;
  }
}

// CHECK: region 'steps_with_barriers'

// One thread goes on while others are in the loop, and reads what it has written itself.
void read_without_barrier(int rows, int cols, const float *restrict a, float *restrict b, float *restrict first) {
#pragma omp target parallel
  {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = 2 * AT(a, i, j);
#pragma omp master
    first[0] = AT(b, 0, 1);
  }
}

// CHECK: region 'read_without_barrier'
// CHECK-NOT: transformation possible
// CHECK: one thread alone runs a part of the region

// One of three is changed: an iteration of the second one needs the one before, and the third one is best as it is.
void one_of_three(int rows, int cols, const double *restrict a, double *restrict b, double *restrict c) {
#pragma omp target
  {
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        AT(b, i, j) = AT(a, i, j) * 2;
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 1; j < cols; j++)
        AT(b, i, j) += AT(b, i, j - 1);
#pragma omp parallel for
    for (int j = 0; j < cols; j++)
      for (int i = 0; i < 2; i++)
        AT(c, i, j) = AT(b, i, j);
  }
}

// CHECK: region 'one_of_three'
// CHECK: transformation possible threads i j
// CHECK: transformation left
// CHECK: because 'one iteration reads what an earlier one has written

// Which loop runs, the launch decides.
void one_or_the_other(int rows, int cols, int steps, const double *restrict a, double *restrict b) {
#pragma omp target
  {
    if (steps > 2) {
#pragma omp parallel for
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
          AT(b, i, j) = AT(a, i, j) * 2;
    } else {
#pragma omp parallel for
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
          AT(b, i, j) = AT(a, i, j) * 3;
    }
  }
}

// CHECK: region 'one_or_the_other'
// CHECK: transformation possible threads i j
// CHECK: transformation possible threads i j

// In each iteration that a team has, its threads share two loops.
void rows_of_teams(int rows, int cols, int steps, const double *restrict a, double *restrict b, double *restrict c) {
#pragma omp target teams distribute
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        b[(t * rows + i) * cols + j] = AT(a, i, j) * 2;
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        c[(t * rows + i) * cols + j] = b[(t * rows + i) * cols + j] + 1;
  }
}

// CHECK: region 'rows_of_teams'
// CHECK: transformation possible threads i j
// CHECK: transformation possible threads i j

// How many there are is read from memory, by the second loop only where the first one has ended.
struct grid {
  int rows, cols;
};

void counts_in_memory(const struct grid *restrict g, const double *restrict a, double *restrict b) {
#pragma omp target
  {
#pragma omp parallel for
    for (int i = 0; i < 9; i++)
      b[i] = 0;
#pragma omp parallel for
    for (int i = 0; i < g->rows; i++)
      for (int j = 0; j < g->cols; j++)
        b[i * g->cols + j] += a[i * g->cols + j];
  }
}

// CHECK: region 'counts_in_memory'

// A sum in each of two loops.
void sums(int rows, int cols, const double *restrict a, double *restrict total) {
  double sum = 0, squares = 0;
#pragma omp target map(tofrom : sum, squares)
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        sum += AT(a, i, j);
#pragma omp for reduction(+ : squares)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < cols; j++)
        squares += AT(a, i, j) * AT(a, i, j);
  }
  total[0] = sum + squares;
}

// CHECK: region 'sums'
