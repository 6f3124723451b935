// RUN: %copied -g | %FileCheck %s
// Others map the same at the same time. Who takes its count to zero copies it back: had the second region of each pair, which writes nothing, only been
// told not to copy, what the first one wrote would be lost where the second one ends last. So that it does, it works longer.
#include <stdio.h>
#include <stdlib.h>
enum { N = 4000, ROUNDS = 40 };

static void write_half(int *a, int round) {
#pragma omp target map(tofrom : a[0 : N]) firstprivate(round)
  for (int i = 0; i < N / 2; ++i)
    a[i] = a[i] * 3 + round;
}

static void write_half_nowait(int *a, int round) {
#pragma omp target map(tofrom : a[0 : N]) firstprivate(round) nowait
  for (int i = 0; i < N / 2; ++i)
    a[i] = a[i] * 3 + round;
}

static long read_half(int *a) {
  long sum = 0;
#pragma omp target map(tofrom : a[0 : N], sum)
  // CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: a is never written here
  for (int again = 0; again < 3000; ++again)
    for (int i = N / 2; i < N; ++i)
      sum += a[i] ^ again;
  return sum;
}

static void read_half_nowait(int *a, long *sum) {
#pragma omp target map(tofrom : a[0 : N], sum[0 : 1]) nowait
  // It copies as its clause says, for it may return before its work is done.
  for (int again = 0; again < 3000; ++again)
    for (int i = N / 2; i < N; ++i)
      sum[0] += a[i] ^ again;
}

static void print(const char *what, const int *a, long sum) {
  long all = 0;
  for (int i = 0; i < N; ++i)
    all = all * 7 % 1000003 + a[i];
  printf("%s: %ld %ld\n", what, sum, all);
}

int main(void) {
  int *a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i)
    a[i] = i;
  long sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    write_half_nowait(a, round);
    read_half_nowait(a, &sum);
#pragma omp taskwait
  }
  print("both nowait", a, sum);
  for (int round = 0; round < ROUNDS; ++round) {
    write_half_nowait(a, round);
    sum += read_half(a);
#pragma omp taskwait
  }
  print("one nowait", a, sum);
  for (int round = 0; round < ROUNDS; ++round) {
#pragma omp parallel sections num_threads(2) reduction(+ : sum)
    {
#pragma omp section
      write_half(a, round);
#pragma omp section
      sum += read_half(a);
    }
  }
  print("in a parallel region", a, sum);
  free(a);
}
// CHECK-NOT: remark
// CHECK: both nowait: 575877992960 993697
// CHECK: one nowait: 1151755985920 492930
// CHECK: in a parallel region: 1727633978880 956619
