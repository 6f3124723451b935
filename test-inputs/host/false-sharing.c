// Threads that write to one cache line at the same time, of 64 bytes on x86-64, and twins in which they do not.
// RUN: %host | %FileCheck %s
// RUN: %compile-host %s | %opt -passes=ipda -pass-remarks-missed=ipda -disable-output 2>&1 | %FileCheck %s --check-prefix=REMARK

#include <omp.h>

// Iteration i goes to thread i mod threads: 4 bytes further, the next thread writes; 16 threads to a line.
void by_turns(int n, float *x) {
#pragma omp target teams distribute parallel for schedule(static, 1) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1.0f;
}
// CHECK-LABEL: region 'by_turns'
// CHECK: store x 4 bytes
// CHECK: false-sharing 4 bytes apart, line 64, by chunks
// REMARK: false-sharing.c:[[# @LINE - 5]]:{{[0-9]+}}: store to x: on the host neighbouring threads write 4 bytes apart, 16 of them into one cache line of 64 bytes, which they take from each other; without a schedule clause the host hands out blocks, and the device single iterations as before

// Blocks, which meet in a line at their ends alone.
void by_blocks(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1.0f;
}
// CHECK-LABEL: region 'by_blocks'
// CHECK-NOT: false-sharing {{[0-9]}}

// Chunks of 16 elements are as long as a line; chunks of 6 doubles, handed out to whoever is free, are not.
void by_long_chunks(int n, float *x) {
#pragma omp target parallel for schedule(static, 16) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1.0f;
}
// CHECK-LABEL: region 'by_long_chunks'
// CHECK-NOT: false-sharing {{[0-9]}}

void by_short_chunks(int n, double *x) {
#pragma omp target parallel for schedule(dynamic, 6) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 1.0;
}
// CHECK-LABEL: region 'by_short_chunks'
// CHECK: store x 8 bytes
// CHECK: false-sharing 48 bytes apart, line 64, by dynamic-chunks
// REMARK: store to x: on the host neighbouring threads write 48 bytes apart, 2 of them into one cache line of 64 bytes, which they take from each other; chunks 2 times as long keep them apart

// Columns: neighbouring iterations write rows of m elements apart. And all threads may read one line.
void rows_apart(int n, int m, float *x, const float *y) {
#pragma omp target teams distribute parallel for schedule(static, 1) map(tofrom : x[0 : 64 * n]) map(to : y[0 : n])
  for (int i = 0; i < n; ++i)
    x[64 * i] = y[i];
}
// CHECK-LABEL: region 'rows_apart'
// CHECK-NOT: false-sharing {{[0-9]}}

// Each thread counts in the element of its number, iteration after iteration: 8 bytes apart; with a line between them, 64.
void counters(int n, const int *x, long *count) {
#pragma omp target parallel map(to : x[0 : n]) map(tofrom : count[0 : 1024])
#pragma omp for
  for (int i = 0; i < n; ++i)
    count[omp_get_thread_num()] += x[i];
}
// CHECK-LABEL: region 'counters'
// CHECK: store count 8 bytes
// CHECK: false-sharing 8 bytes apart, line 64, by thread-number
// REMARK: store to count: on the host neighbouring threads write 8 bytes apart, 8 of them into one cache line of 64 bytes, which they take from each other; a variable of each thread's own (private, reduction) or elements as long as a line keep them apart

void padded(int n, const int *x, long *count) {
#pragma omp target parallel map(to : x[0 : n]) map(tofrom : count[0 : 8 * 1024])
#pragma omp for
  for (int i = 0; i < n; ++i)
    count[8 * omp_get_thread_num()] += x[i];
}
// CHECK-LABEL: region 'padded'
// CHECK-NOT: false-sharing {{[0-9]}}

// Once for each thread is no matter.
void once(int n, const int *x, long *count) {
#pragma omp target parallel map(to : x[0 : n]) map(tofrom : count[0 : 1024])
  {
    long own = 0;
#pragma omp for
    for (int i = 0; i < n; ++i)
      own += x[i];
    count[omp_get_thread_num()] = own;
  }
}
// CHECK-LABEL: region 'once'
// CHECK-NOT: false-sharing {{[0-9]}}
