// Whole programs, with and without the nests, print the same: sums of each thread that depend on the order of its iterations, last values,
// chunks that begin and end anywhere in a row or plane, and rows of no, one and many elements.
// RUN: %clang -O3 -fopenmp %s -o %t.without -L%llvm-lib -Wl,-rpath,%llvm-lib
// RUN: env IPDA_TRANSFORM=on %clang -O3 -fopenmp %s -o %t.with %load %remarks -L%llvm-lib -Wl,-rpath,%llvm-lib 2>&1 | %FileCheck %s
// RUN: env OMP_NUM_THREADS=1 %t.without > %t.1 && env OMP_NUM_THREADS=1 %t.with | diff - %t.1
// RUN: env OMP_NUM_THREADS=3 %t.without > %t.3 && env OMP_NUM_THREADS=3 %t.with | diff - %t.3
// RUN: env OMP_NUM_THREADS=7 %t.without > %t.7 && env OMP_NUM_THREADS=7 %t.with | diff - %t.7

#include <omp.h>
#include <stdio.h>

static long sums[64];

static void note(long number) {
  long *sum = &sums[omp_get_thread_num()];
  *sum = *sum * 31 + number + 1;
}

static void planes(int n, int m, int l) {
  long last = -1;
#pragma omp target parallel for collapse(3) schedule(static, 5) lastprivate(last)
  for (int i = 0; i < n; ++i)
    for (int j = m; j > 0; j -= 2)
      for (int k = 1; k <= l; ++k) {
        note((i * 100 + j) * 100 + k);
        last = (i * 100 + j) * 100 + k;
      }
  if (n > 0 && m > 0 && l > 0)
    printf("%ld ", last);
}
// CHECK-DAG: same-output.c:[[# @LINE - 10]]:{{[0-9]+}}: remark: the host's version of the collapsed loop is a nest of 3 loops again

static void rows(unsigned long n, unsigned long m) {
#pragma omp target teams distribute parallel for collapse(2)
  for (unsigned long i = 2; i < n; i += 3)
    for (unsigned long j = 0; j != m; ++j)
      note(i * 100 + j);
}
// CHECK-DAG: same-output.c:[[# @LINE - 5]]:{{[0-9]+}}: remark: the host's version of the collapsed loop is a nest of 2 loops again

// The place is the iteration's number, the value is not.
static void whole(unsigned long n, unsigned long m) {
  static unsigned long out[200 * 200];
#pragma omp target parallel for collapse(3)
  for (unsigned long i = 0; i < n; ++i)
    for (unsigned long j = 0; j < m; ++j)
      for (unsigned long k = 0; k < 9; ++k)
        out[(i * m + j) * 9 + k] += j;
  unsigned long sum = 0;
  for (unsigned long at = 0; at < n * m * 9; ++at)
    sum = sum * 31 + out[at];
  printf("%lx ", sum);
}
// CHECK-DAG: same-output.c:[[# @LINE - 10]]:{{[0-9]+}}: remark: the host's version of the collapsed loop is a nest of 3 loops again

static void in_order(int n, int m) {
  long order = 0;
#pragma omp target parallel for collapse(2) ordered schedule(dynamic, 2) map(tofrom : order)
  for (int i = 0; i < n; ++i)
    for (int j = i & 0; j < m; ++j) {
#pragma omp ordered
      order = order * 31 + i * 100 + j;
    }
  printf("%lx ", order);
}
// CHECK-DAG: same-output.c:[[# @LINE - 8]]:{{[0-9]+}}: remark: the host's version of the collapsed loop is a nest of 2 loops again

int main(void) {
  const int sizes[] = {0, 1, 2, 5, 8, 13};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      planes(sizes[a], sizes[b], sizes[(a + b) % 6]);
      rows(sizes[a], sizes[b]);
      whole(sizes[a], sizes[b]);
      in_order(sizes[a], sizes[b]);
      for (int at = 0; at < 64; ++at)
        if (sums[at])
          printf("%d:%lx ", at, sums[at]);
      puts("");
    }
  return 0;
}
