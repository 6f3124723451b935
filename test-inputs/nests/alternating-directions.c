// RUN: %c-dependences | %FileCheck %s
//
// Implicit steps by alternating directions: a recurrence along the rows for all rows, then one along the columns, upwards and back, for
// all columns. The loop across the recurrence is parallel, the one along it is not.

void sweep(int n, double u[restrict n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < n; ++j)
      u[i][j] -= c[i][j] * u[i][j - 1];
  for (int i = 0; i < n; ++i)
    for (int j = n - 2; j >= 0; --j)
      u[i][j] -= c[i][j] * u[i][j + 1];
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j)
      u[i][j] -= c[i][j] * u[i - 1][j];
}

// CHECK-LABEL: dependences of function 'sweep'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop4 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop5 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
