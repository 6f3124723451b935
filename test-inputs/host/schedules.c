// A thread goes over each of its chunks in turn, whoever hands them out: each chunk is a range of numbers. With chunks of one iteration in a
// combined construct, clang lets the loop itself go on by the number of threads: such numbers are no rows.
// RUN: %compile-host %s | env IPDA_TRANSFORM=on %opt -passes=ipda,verify -pass-remarks-analysis=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s

#define LOOPS \
  for (long i = 0; i < n; ++i) \
    for (long j = 0; j < m; ++j) \
      for (long k = 0; k < l; ++k) \
        x[(i * m + j) * l + k] += (double)(i - j) * k;

void blocks(long n, long m, long l, double *x) {
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 3 loops again

void chunks(long n, long m, long l, double *x) {
#pragma omp target parallel for collapse(3) schedule(static, 4) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 3 loops again

void turns(long n, long m, long l, double *x) {
#pragma omp target parallel for collapse(3) schedule(dynamic, 16) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 3 loops again

void shrinking(unsigned long n, unsigned long m, unsigned long l, double *x) {
#pragma omp target teams distribute parallel for collapse(3) schedule(guided) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 3 loops again

void teams(long n, long m, long l, double *x) {
#pragma omp target teams distribute collapse(3) dist_schedule(static, 8) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 3 loops again

void apart(long n, long m, long l, double *x) {
#pragma omp target teams distribute parallel for collapse(3) schedule(static, 1) map(tofrom : x[0 : n * m * l])
  LOOPS
}
// CHECK-DAG: schedules.c:[[# @LINE - 3]]:{{[0-9]+}}: the host's version of the collapsed loop stays one loop: the iterations of a thread do not follow one another

// Numbers without a sign, up to one before the last one's successor, which the loop computes each time.
void sizes(unsigned long n, unsigned long m, double *x) {
#pragma omp target parallel for collapse(2) map(tofrom : x[0 : n * m])
  for (unsigned long i = 0; i < n; ++i)
    for (unsigned long j = 0; j < m; ++j)
      x[i * m + j] += (double)i;
}
// CHECK-DAG: schedules.c:[[# @LINE - 5]]:{{[0-9]+}}: the host's version of the collapsed loop is a nest of 2 loops again
