// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Reductions that other threads would not make as well: the loop looks at the copy, adds to it by another operation than the copies are
// combined by, or hands on a value of its own from iteration to iteration.
// ORACLE: depends on the launch: by_the_program, looked_at_behind

#define REGION(clause) _Pragma(#clause)

void looked_at(int n, int m, int *A, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      s += B[i * m + j];
      A[i * m + j] = s;
    }
  *out = s;
}

// What is added depends on what was there.
void until_it_is_large(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (s < 1000)
        s += B[i * m + j];
  *out = s;
}

void by_another_operation(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = s > B[i * m + j] ? s : B[i * m + j];
  *out = s;
}

// A sum of ones counts the threads that have found something.
void threads_that_found(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (B[i * m + j] > 50)
        s = 1;
  *out = s;
}

void by_two_operations(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      s += B[i * m + j];
      s *= 3;
    }
  *out = s;
}

// The second element is read only where the first one has not settled it.
void short_circuit(int n, int m, const int *B, const int *C, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(&&: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = s && B[i * m + j];
  *out = s;
}

void greatest_of_narrowed(int n, int m, const int *B, short *out) {
  short s = *out;
REGION(omp target teams distribute parallel for reduction(max: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s = s > B[i * m + j] ? s : B[i * m + j];
  *out = s;
}

void overwritten(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i) {
    s = i;
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  }
  *out = s;
}

void rows_first(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i) {
    int row = 0;
    for (int j = 0; j < m; ++j)
      row += B[i * m + j];
    s += row > 100 ? row : 0;
  }
  *out = s;
}

#define BINS 8
void into_an_array(int n, int m, const int *B, int *out) {
REGION(omp target teams distribute parallel for reduction(+: out[:BINS]) map(tofrom: out[:BINS]))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      out[B[i * m + j] & 7] += 1;
}

#pragma omp declare reduction(later : int : omp_out = omp_out * 2 + omp_in) initializer(omp_priv = 0)
void by_the_program(int n, int m, const int *B, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(later: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

int omp_get_thread_num(void);
// Between the loop and where the copies are combined, the program looks at its own.
void looked_at_behind(int n, int m, const int *B, int *restrict parts, int *out) {
  int s = *out;
REGION(omp target parallel reduction(+: s) map(tofrom: s))
  {
REGION(omp for)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j)
        s += B[i * m + j];
    parts[omp_get_thread_num()] = s + 1;
  }
  *out = s;
}

// CHECK: region 'looked_at'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is used in the loop beside the reduction'
// CHECK: region 'until_it_is_large'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is used in the loop beside the reduction'
// CHECK: region 'by_another_operation'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is updated by another operation than the clause names'
// CHECK: region 'threads_that_found'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is updated by another operation than the clause names'
// CHECK: region 'by_two_operations'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is used in the loop beside the reduction'
// CHECK: region 'short_circuit'
// CHECK-NOT: transformation possible
// CHECK: region 'greatest_of_narrowed'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is used in the loop beside the reduction'
// CHECK: region 'overwritten'
// CHECK-NOT: transformation possible
// CHECK: because 'a reduction's variable is used in the loop beside the reduction'
// CHECK: region 'rows_first'
// CHECK-NOT: transformation possible
// CHECK: region 'into_an_array'
// CHECK-NOT: transformation possible
// CHECK: region 'by_the_program'
// CHECK-NOT: transformation possible
// CHECK: region 'looked_at_behind'
// CHECK-NOT: transformation possible
