// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Functions that call themselves are not followed all the way. Those that write nothing but their own variables are no obstacle, whatever they read
// is not counted; the twins leave something behind, or ask which thread they are.

#include <omp.h>

#define REGION _Pragma("omp target teams distribute parallel for")

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

void of_numbers(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] += fibonacci(j & 7);
}

static double total(const double *x, int n) { return n < 1 ? 0 : x[0] + total(x + 1, n - 1); }

// Its reads may be of what is written.
void of_an_array(int n, int m, double *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = total(&A[i * m], j & 3);
}

static void fill(double *x, int n) {
  if (n > 0) {
    x[0] = n;
    fill(x + 1, n - 1);
  }
}

void writes(int n, int m, double *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      fill(&A[i * m + j], 2);
}

static int of_thread(int n) { return n < 1 ? omp_get_thread_num() : of_thread(n - 1); }

void asks(int n, int m, int *A) {
  REGION
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[i * m + j] = of_thread(j & 1);
}

// CHECK: region 'of_numbers'
// CHECK: transformation possible threads i j
// CHECK-NOT: reject
// CHECK: region 'of_an_array'
// CHECK: transformation left
// CHECK: relies on 'total writes no memory, as its code shows; what it reads is not counted'
// CHECK-NOT: reject
// CHECK: region 'writes'
// CHECK: reject Recursion 'fill calls itself
// CHECK: region 'asks'
// CHECK: reject Recursion 'of_thread calls itself
