// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=RUNS
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 1 kernels, 1 transformed; of these new code ran in 1,
// RUNS: launches compared, 0 wrong
//
// A matrix of blocks of 4 x 4 numbers, of which a list says where each row of blocks begins. Threads that go along the blocks of y use neighbouring
// numbers of it only if the loop over the rows inside a block is the fastest one. The blocks themselves lie anywhere: two rows of blocks begin at
// different places, so that lanes of neighbouring rows of blocks touch sectors of their own, in any order of the loops.

#define ROWS 4
#define FOR_ROWS(i) for (int i = 0; i < ROWS; ++i)

// Not all of this is known of code that is not optimised, where nothing tells y from the other arrays; the changed code that is run knows.
// CHECK-LABEL: region 'blocks_of_a_matrix'
// CHECK: transformation left threads r i
// CHECK-NEXT: because {{.*}}dependence of block and y); it is not known that these are different arrays
void blocks_of_a_matrix(int n, const double (*restrict block)[ROWS][ROWS], const int *restrict of,
                        const int *restrict first, const double *restrict x, double *restrict y) {
#pragma omp target teams distribute parallel for map(to : block[0 : 14], of[0 : 14], first[0 : n + 1], x[0 : ROWS * n]) map(tofrom : y[0 : ROWS * n])
  for (int r = 0; r < n; ++r)
    FOR_ROWS(i) {
      double sum = 0.0;
      for (int q = first[r]; q < first[r + 1]; ++q)
        FOR_ROWS(j) sum += block[q][i][j] * x[ROWS * of[q] + j];
      y[ROWS * r + i] += sum;
    }
}
