// RUN: %c-dependences | %FileCheck %s
//
// B = A' B in place with a unit lower triangular A: row i takes from the rows below it, which are as they were. Columns (j) are
// parallel, rows are not: a later row is read before it is written.

void product(int n, int m, const double *restrict a, double *restrict b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = i + 1; k < n; ++k)
        b[i * m + j] += a[k * n + i] * b[k * m + j];
}

// CHECK-LABEL: dependences of function 'product'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{unknown:|serial:}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
