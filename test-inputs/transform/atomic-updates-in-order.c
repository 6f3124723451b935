// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: %compile-device -ffast-math %s | %analyse | %FileCheck %s --check-prefixes=CHECK,FAST
// RUN: %compile-device -fno-inline %s | %analyse | %FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: %ipda-oracle transform %s
//
// Where the address says that one iteration of the shared loop alone updates a place, its updates come in their order, and the result is the
// same in every run. Fused loops would make it another one each time, unless the operation is exact, or the program's flags allow any order.
// ORACLE: depends on the launch: captured

// float addition is not associative: the order of j is kept.
void sums_of_rows(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'sums_of_rows'
// EXACT: transformation left threads j i
// EXACT-NEXT: because 'as written one thread may make all atomic updates of a place by float add, in an order on which their result depends (output dependence of c)'
// FAST: transformation possible threads j i
// FAST: because 'the order of atomic updates of c by float add is not kept: the flags of the program allow any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i] += a[i * m + j] * 1.7f;
    }
}

// Of -0.0 and 0.0 either may be the least one, and what becomes of NaN depends on the order, too.
void least_floats_of_rows(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'least_floats_of_rows'
// EXACT: transformation left threads j i
// EXACT-NEXT: because 'as written one thread may make all atomic updates of a place by float min,
// FAST: transformation possible threads j i
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic compare
      if (a[i * m + j] < c[i]) { c[i] = a[i * m + j]; }
    }
}

// A shared loop of one iteration is one thread.
void one_iteration(int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'one_iteration'
// EXACT: transformation left threads i j
// EXACT-NEXT: because 'as written one thread may make all atomic updates
#pragma omp target teams distribute parallel for map(to : a[0 : m]) map(tofrom : c[0 : 1])
  for (int i = 0; i < 1; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[0] += a[j];
    }
}

// A clause says which thread has which iterations; all that meet may be one thread's.
void histogram_by_clause(int n, int m, const int *restrict bin, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'histogram_by_clause'
// EXACT: transformation left
#pragma omp target teams distribute parallel for dist_schedule(static) map(to : bin[0 : n * m], a[0 : n * m]) map(tofrom : c[0 : 64])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[bin[i * m + j] & 63] += a[i * m + j];
    }
}

// Which place is not known, but each iteration stays at its own, of which nothing says that another one comes there.
void rows_by_table(int n, int m, const int *restrict row, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'rows_by_table'
// EXACT: transformation left threads i j
// EXACT-NEXT: because 'as written one thread may make all atomic updates
#pragma omp target teams distribute parallel for map(to : row[0 : n], a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[row[i]] += a[i * m + j];
    }
}

// (c + a) ^ b is not (c ^ b) + a.
void two_operations(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'two_operations'
// CHECK: transformation left
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i] += a[i * m + j];
#pragma omp atomic
      c[i] ^= a[i * m + j];
    }
}

// The last one stays.
void written(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'written'
// CHECK: transformation left
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic write
      c[i] = a[i * m + j];
    }
}

void read_in_between(int n, int m, const int *restrict a, int *restrict c, int *restrict seen) {
// CHECK-LABEL: region 'read_in_between'
// CHECK: transformation left
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n], seen[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int now;
#pragma omp atomic
      c[i] += a[i * m + j];
#pragma omp atomic read
      now = c[i];
      seen[i * m + j] = now;
    }
}

void captured(int n, int m, int *restrict c, int *restrict seen) {
// CHECK-LABEL: region 'captured'
// CHECK: transformation left
#pragma omp target teams distribute parallel for map(tofrom : c[0 : n], seen[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      int before;
#pragma omp atomic capture
      before = c[i]++;
      seen[i * m + j] = before;
    }
}

// clang writes a loop of compare and exchange.
void products_of_rows(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'products_of_rows'
// CHECK: transformation left
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i] *= a[i * m + j];
    }
}

static void add(float *to, float what) {
#pragma omp atomic
  *to += what;
}

__attribute__((noinline)) static void add_apart(float *to, float what) {
#pragma omp atomic
  *to += what;
}

void sums_by_helper(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'sums_by_helper'
// EXACT: transformation left threads j i
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      add(&c[i], a[i * m + j]);
}

void sums_by_helper_apart(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'sums_by_helper_apart'
// EXACT: transformation left threads j i
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      add_apart(&c[i], a[i * m + j]);
}

// Each thread has a copy of its own, which OpenMP combines in any order.
void reduction_into_memory(int n, int m, const int *restrict a, int *restrict c) {
// CHECK-LABEL: region 'reduction_into_memory'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : 4]) reduction(+ : c[0 : 4])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      c[j & 3] += a[i * m + j];
}

// The shared loop lies in a sequential one: its threads begin anew each time, and each place has one of them.
void steps_of_rows(int n, int m, int steps, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'steps_of_rows'
// EXACT-NOT: transformation possible
#pragma omp target teams map(to : a[0 : n * m]) map(tofrom : c[0 : n]) num_teams(1)
  for (int t = 0; t < steps; ++t) {
#pragma omp distribute parallel for
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[i] += a[i * m + j] * t;
      }
  }
}

// Rows of r elements, ld apart, overlap where r > ld: one thread's j then meet in one place, in order. Whether another thread comes there is nothing
// that r > ld says: the places of i and i + 1 are m rows apart.
void overlapping_rows(int n, int m, int p, int r, const double *restrict b, double *restrict c) {
// CHECK-LABEL: region 'overlapping_rows'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : b[0 : p]) map(tofrom : c[0 : n * 225 + m * 15 + r])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < p; ++k)
        for (int l = 0; l < r; ++l) {
#pragma omp atomic
          c[(i * 15 + j) * 15 + l] -= b[k] * 1.7 + (j + l);
        }
}

// Many threads come to the middle of c, one to its first element.
void diagonals(int n, int m, int p, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'diagonals'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : a[0 : p * m]) map(tofrom : c[0 : n + m])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[i + j] += a[k * m + j] * 1.7f;
      }
}

// A histogram for each row: as written one thread fills it, in order.
void histogram_of_row(int n, int m, const int *restrict bin, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'histogram_of_row'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : bin[0 : n * m], a[0 : n * m]) map(tofrom : c[0 : n * 64])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[i * 64 + (bin[i * m + j] & 63)] += a[i * m + j];
    }
}

// The last places are those of the last row alone.
void below_diagonal(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'below_diagonal'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : n])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < m; ++k)
      for (int j = 0; j <= i; ++j) {
#pragma omp atomic
        c[j] += a[k * n + j] * i;
      }
}

// One thread alone comes here.
void first_row(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'first_row'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (i == 0) {
#pragma omp atomic
        c[0] += a[i * m + j] * 1.7f;
      }
}

// Where no two bins of a row are one, a thread comes to each place once for each k, and may be the only one.
void histogram_again_and_again(int n, int m, int p, const int *restrict bin, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'histogram_again_and_again'
// EXACT-NOT: in any order
#pragma omp target teams distribute parallel for map(to : bin[0 : n * m], a[0 : n * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[bin[i * m + j]] += a[i * m + j] * k;
      }
}
