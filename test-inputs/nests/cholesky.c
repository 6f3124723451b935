// RUN: %c-dependences | %FileCheck %s
//
// Cholesky's factorisation L of a symmetric matrix, right-looking: in step k the column below the diagonal is scaled, then the triangle
// right of it loses the column's outer product with itself. In a step the triangle's rows (i) and columns (j) are parallel, and the
// column's elements are; k is not.

double sqrt(double) __attribute__((const));

void cholesky(int n, double l[restrict n][n]) {
  for (int k = 0; k < n; ++k) {
    double pivot = sqrt(l[k][k]);
    l[k][k] = pivot;
    for (int i = k + 1; i < n; ++i)
      l[i][k] /= pivot;
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j <= i; ++j)
        l[i][j] -= l[i][k] * l[j][k];
  }
}

// CHECK-LABEL: dependences of function 'cholesky'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
