// C89: all counters are declared at the beginning of the function, and a clause gives each thread its own. A worksharing loop is known by
// its own counters, an inner one by the private variable that counts it; sums and what a clause keeps are no counters.
// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// ARGS: n: 9
// ARGS: m: 70

void residual(int n, int m, double *x, double *y) {
  int i, j, k;
  double s, first;
#pragma omp target teams distribute parallel for private(j, k, s, first) map(tofrom : x[0 : n]) map(to : y[0 : n * m])
  for (i = 0; i < n; i++) {
    s = 0;
    first = y[i];
    for (j = 0; j < m; j++)
      s += y[i * m + j] * first;
    for (k = m - 1; k >= 0; k--)
      s -= y[i * m + k];
    x[i] = s;
  }
}

// CHECK: region 'residual' at
// CHECK: loop0 {{.*}}for i at
// CHECK: loop1 in loop0 sequential j at {{.*}} trips [m]
// CHECK: loop2 in loop0 sequential k at {{.*}} trips [m]

void smooth(int n, int m, double *x, double *y) {
  int i, j, k;
#pragma omp target teams distribute parallel for collapse(2) private(i, j, k) map(tofrom : x[0 : n * m]) map(to : y[0 : n * m])
  for (i = 1; i < n - 1; i++)
    for (j = 1; j < m - 1; j++) {
      int q = i * m + j;
      for (k = 0; k < 3; k++)
        x[q] += y[q + k - 1];
    }
}

// CHECK: region 'smooth' at
// CHECK: loop0 {{.*}}for i, j at
// CHECK: loop1 in loop0 sequential k at {{.*}} trips 3

double total(int n, int m, double *y) {
  int i, j;
  double sum = 0;
#pragma omp target teams distribute parallel for private(j) reduction(+ : sum) map(to : y[0 : n * m])
  for (i = 0; i < n; i += 2)
    for (j = 0; j < m; j++)
      sum += y[i * m + j];
  return sum;
}

// CHECK: region 'total' at
// CHECK: loop0 {{.*}}for i at
// CHECK: loop1 in loop0 sequential j at {{.*}} trips [m]

int last_even(int n, double *x) {
  int i, last = 0;
#pragma omp target teams distribute parallel for lastprivate(last) map(tofrom : x[0 : n])
  for (i = 0; i < n; i++) {
    last = i * 2;
    x[i] = last;
  }
  return last;
}

// CHECK: region 'last_even' at
// CHECK: loop0 {{.*}}for i at

void upper(int n, double *x) {
  int i, j;
#pragma omp target teams distribute parallel for private(j) map(tofrom : x[0 : n * n])
  for (i = 0; i < n; i++)
    for (j = i; j < n; j++)
      x[i * n + j] *= 2;
}

// CHECK: region 'upper' at
// CHECK: loop0 {{.*}}for i at
// CHECK: loop1 in loop0 sequential j at

double down(int n, double *x) {
  int i;
  double sum = 0;
#pragma omp target teams distribute parallel for lastprivate(i) reduction(+ : sum) map(to : x[0 : n])
  for (i = n - 1; i >= 0; i--)
    sum += x[i];
  return sum + i;
}

// CHECK: region 'down' at
// CHECK: loop0 {{.*}}for i at
