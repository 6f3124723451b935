// RUN: %copied -g | %FileCheck %s
// Threads that OpenMP has not made map the same at the same time, as others.c tells: outside of its parallel regions, a launch cannot know of them.
// CHECK-DAG: remark: a is never written here
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
enum { N = 4000, ROUNDS = 100 };

struct work {
  int *a, round;
};

static void *write_half(void *from) {
  struct work *work = from;
  int *a = work->a, round = work->round;
#pragma omp target map(tofrom : a[0 : N])
  for (int i = 0; i < N / 2; ++i)
    a[i] = a[i] * 3 + round;
  return 0;
}

static long read_half(int *a) {
  long sum = 0;
#pragma omp target map(tofrom : a[0 : N], sum)
  for (int again = 0; again < 3000; ++again)
    for (int i = N / 2; i < N; ++i)
      sum += a[i] ^ again;
  return sum;
}

int main(void) {
  int *a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i)
    a[i] = i;
  long sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    struct work work = {a, round};
    pthread_t other;
    if (pthread_create(&other, 0, write_half, &work))
      return 1;
    sum += read_half(a);
    pthread_join(other, 0);
  }
  long all = 0;
  for (int i = 0; i < N; ++i)
    all = all * 7 % 1000003 + a[i];
  // CHECK: 1439694982400 673368
  printf("%ld %ld\n", sum, all);
  free(a);
}
