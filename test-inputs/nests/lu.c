// RUN: %c-dependences | %FileCheck %s
//
// LU factorisation in place without pivots: step k divides the column below the pivot and subtracts the product of that column and the
// pivot's row from what is right of and below both. The written part of a step touches neither its pivot's row nor, in the inner loops,
// its column, so that i and j are parallel in each; k is not.

void lu(int n, double a[restrict n][n]) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i)
      a[i][k] /= a[k][k];
    for (int i = k + 1; i < n; ++i)
      for (int j = k + 1; j < n; ++j)
        a[i][j] -= a[i][k] * a[k][j];
  }
}

// CHECK-LABEL: dependences of function 'lu'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
