// RUN: %c-dependences | %FileCheck %s
// RUN: %ipda-oracle dependences %s
//
// Nests whose directions were taken for others, so that an interchange of their loops went wrong.

int cube[16][16][16];

void equal_counts_as_well() {
// The store's 2*i is the load's i + 3 for i = 2 of the store and 1 of the load, and for i = 3 of both. The load comes first in both, one j
// before and one k after the store: an interchange of j and k turns the second round, which a test that tells the first alone does not see.
// CHECK-LABEL: dependences of function 'equal_counts_as_well'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: anti dependence of cube
// CHECK-NEXT: loop1 in loop0 {{.*}}: {{unknown|serial}}: anti dependence of cube
// CHECK-NEXT: loop2 in loop1 {{.*}}: parallel
// CHECK: anti acc0 -> acc2 (<, < 1, > -1) carried by loop0
// CHECK: anti acc0 -> acc2 (=, < 1, > -1) carried by loop1
  for (int i = 0; i < 4; i++)
    for (int j = 1; j < 8; j++)
      for (int k = 1; k < 8; k++)
        cube[2 * i][k + 1][j - 1] -= cube[i + 3][k][j];
}

void shifted_again_and_again(int *a, int x, unsigned n, unsigned m) {
// What a sweep wrote is read one to the left in the next ones.
// CHECK-LABEL: dependences of function 'shifted_again_and_again'
// CHECK-DAG: flow acc1 -> acc0 (<, > -1) carried by loop0
// CHECK-DAG: anti acc0 -> acc1 (<, < 1) carried by loop0
// CHECK-DAG: anti acc0 -> acc1 (=, < 1) carried by loop1
// CHECK-DAG: output acc1 -> acc1 (<, =) carried by loop0
  for (unsigned sweep = 0; sweep < m; ++sweep)
    for (unsigned i = 0u; i < n - 1; ++i)
      a[i] = a[i + 1] + x;
}

void two_sizes(void *memory) {
// Words of 8 bytes in rows of 2048, and of 4 bytes in rows of 1024: the long one at (1, 0) is the short ones at (2, 0) and (2, 1), and
// in row 0 the long one at 1 is the short ones at 2 and 3.
// CHECK-LABEL: dependences of function 'two_sizes'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}
// CHECK-DAG: output acc0 -> acc1 (<, {{<?=|\*}}{{.*}}) carried by loop0
// CHECK-DAG: output acc0 -> acc1 (=, <{{.*}}) carried by loop1
// CHECK-DAG: output acc0 -> acc1 (=, =) in one iteration
  long (*wide)[256] = memory;
  int (*narrow)[256] = memory;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      wide[i][j] = 1;
      narrow[i][j] = 2;
    }
}

void two_ends(long *a) {
// The inner loop ends at the lesser of two bounds, one of them i: columns of a triangle.
// CHECK-LABEL: dependences of function 'two_ends'
// CHECK-NEXT: loop0 {{.*}} trips 4: parallel
  for (long i = 1; i < 5; i++)
    for (long j = 0; (j < i) & (j < 100); j++)
      a[j * 5 + i] += 1;
}

void step_of_outer(long *a) {
// The inner loop runs ceil((16 + i) / i) times, where #i is i - 1. Rows of 8, with i from 1 to 7: distinct.
// CHECK-LABEL: dependences of function 'step_of_outer'
// CHECK-NEXT: loop0 {{.*}} trips 7: parallel
// CHECK-NEXT: loop1 in loop0 {{.*}} trips floor(15 / (#i + 1)) + 2: parallel
  for (long i = 1; i < 8; i++)
    for (long j = 0, k = 0; k < 16 + i; j++, k += i)
      a[8 * j + i] += 1;
}

void one_row_for_all(float (*restrict a)[128], const float (*restrict b)[128], float (*restrict c)[128]) {
// Row 1 is read by all i of one j, and one to its left is written: by all i of the next j the same place is written.
// CHECK-LABEL: dependences of function 'one_row_for_all'
// CHECK-NEXT: loop0 {{.*}}: serial: anti dependence of a
// CHECK: anti acc3 -> acc2 (< 1, *) carried by loop0, certain
  for (int j = 1; j < 12; j++)
    for (int i = 1; i < 10; i++) {
      a[1][j - 1] += b[i][j];
      c[i][j] = a[1][j];
    }
}

// What LLVM's analysis and Polly say of these (scripts/bench dependence):
// RIVALS: 47:18 48:20: wrong: the long at (1, 0) is the words at (2, 0) and (2, 1)
