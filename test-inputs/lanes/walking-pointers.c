// Loops whose pointers walk on by a launch's value, which clang widens anew in each iteration: where an iteration begins, they have gone so many steps.
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised --mapping 2 %s | %FileCheck %s --check-prefix=JUDGE
//
// ARGS: n: 37
// ARGS: m: 29
// ARGS: step: 2

void down_columns(int n, int m, double *restrict a, const double *restrict b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
  for (int i = 0; i < n; ++i) {
    double *to = a + i;
    const double *from = b + i;
    for (int j = 0; j < m; ++j) {
      *to += 2 * *from;
      to += n;
      from += n;
    }
  }
}

// By what is computed from several values, and downwards.
void by_products(int n, int m, int step, double *restrict a) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : step * n * m])
  for (int i = 0; i < n; ++i) {
    double *at = a + (m - 1) * (step * n) + i;
    for (int j = 0; j < m; ++j) {
      *at += j;
      at -= step * n;
    }
  }
}

// By the number of the loop outside, which is put together from digits where lanes are tiles.
void by_rows(int n, int m, double *restrict a, const double *restrict b) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n * m])
  for (int i = 0; i < n; ++i) {
    const double *from = b;
    for (int j = 0; j < m; ++j) {
      a[j * n + i] += *from;
      from += i;
    }
  }
}

// The step is another one in each iteration: where the pointer is, the iterations before say.
void by_what_is_there(int n, int m, double *restrict a, const int *restrict step) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : step[0 : m])
  for (int i = 0; i < n; ++i) {
    double *at = a + i * m;
    for (int j = 0; j < m; ++j) {
      *at += j;
      at += step[j] & 1;
    }
  }
}

// CHECK: region 'down_columns'
// CHECK: transformation possible threads j i
// CHECK: region 'by_products'
// CHECK: transformation possible threads j i
// CHECK: region 'by_rows'
// CHECK: transformation possible threads j i
// CHECK: region 'by_what_is_there'
// CHECK-NOT: transformation possible
//
// JUDGE: launches compared, 0 wrong
