// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=RUNS
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 9 kernels, 4 transformed; of these new code ran in 4,
// RUNS: launches compared, 0 wrong
//
// Reductions by || and && in the forms that OpenMP has for them: `any = any || x`, `any = x || any`, likewise with &&. The first leaves x out where
// the variable has its value, so that what is read may depend on the iterations in front. Where these are iterations of the loop that threads share, nobody
// knows which ones they are, and any order will do; of a loop in each thread they are known, and x may be there for the first of them alone.
#include <stdbool.h>

#define AT(i, j) ((long)(i) * m + (j))

// Rows are far apart, and the loops stand in the wrong order in the clause.
// CHECK-LABEL: region 'any_first'
// CHECK: transformation possible threads i j
bool any_first(int n, int m, const unsigned short *u) {
  bool any = false;
#pragma omp target teams distribute parallel for collapse(2) map(to : u[0 : (long)n * m]) reduction(|| : any)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      any = any || u[AT(i, j)] == 7;
  return any;
}

// CHECK-LABEL: region 'all_first'
// CHECK: transformation possible threads i j
int all_first(int n, int m, const unsigned short *u, const unsigned short *v) {
  int all = 1;
#pragma omp target teams distribute parallel for collapse(2) map(to : u[0 : (long)n * m], v[0 : (long)n * m]) reduction(&& : all)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      all = all && u[AT(i, j)] != 7 && v[AT(i, j)] < 900;
  return all;
}

// CHECK-LABEL: region 'any_last'
// CHECK: transformation possible threads i j
bool any_last(int n, int m, const int *u) {
  bool any = false;
#pragma omp target teams distribute parallel for map(to : u[0 : (long)n * m]) reduction(|| : any)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      any = u[AT(i, j)] == 7 || any;
  return any;
}

// CHECK-LABEL: region 'all_last'
// CHECK: transformation possible threads i j
int all_last(int n, int m, const int *u) {
  int all = 1;
#pragma omp target teams distribute parallel for map(to : u[0 : (long)n * m]) reduction(&& : all)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      all = u[AT(i, j)] != 7 && all;
  return all;
}

// A row's text ends with a zero, behind which nothing may be read: the row's own thread knows.
// CHECK-LABEL: region 'ends_of_rows'
// CHECK: because 'a reduction by || or && leaves out what it need not know
bool ends_of_rows(int n, int m, const unsigned char *u) {
  bool any = false;
#pragma omp target teams distribute parallel for map(to : u[0 : (long)n * m]) reduction(|| : any)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      any = any || u[AT(i, j)] == 0;
  return any;
}

// What is computed is stored as well, or not.
// CHECK-LABEL: region 'stores_meanwhile'
// CHECK: because 'a reduction's variable is used in the loop beside the reduction
bool stores_meanwhile(int n, int m, int *u) {
  bool any = false;
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : u[0 : (long)n * m]) reduction(|| : any)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      any = any || (u[AT(i, j)] = 3 * u[AT(i, j)] & 255) == 9;
  return any;
}

// The other operation.
// CHECK-LABEL: region 'other_operation'
// CHECK: because 'a reduction's variable is updated by another operation than the clause names
bool other_operation(int n, int m, const int *u) {
  bool any = true;
#pragma omp target teams distribute parallel for collapse(2) map(to : u[0 : (long)n * m]) reduction(&& : any)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      any = any || u[AT(i, j)] == 7;
  return any;
}

// What was there before is used.
// CHECK-LABEL: region 'counts_meanwhile'
// CHECK: because 'a reduction's variable is used in the loop beside the reduction
int counts_meanwhile(int n, int m, const int *u) {
  int any = 0, sum = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to : u[0 : (long)n * m]) reduction(|| : any) reduction(+ : sum)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i) {
      any = any || u[AT(i, j)] == 7;
      sum += any;
    }
  return any + sum;
}

// It is no truth value that is kept.
// CHECK-LABEL: region 'first_that_is_not_zero'
// CHECK: because 'a reduction's variable is used in the loop beside the reduction
int first_that_is_not_zero(int n, int m, const int *u) {
  int any = 0;
#pragma omp target teams distribute parallel for collapse(2) map(to : u[0 : (long)n * m]) reduction(|| : any)
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      any = any ? any : u[AT(i, j)];
  return any;
}
