// RUN: %c-dependences | %FileCheck %s
//
// The upper triangle is made from the lower one: (i, j) with j < i is read, (j, i) written. Nothing is read that is written: both loops
// are parallel, and so they are with rows of ld elements, n or more.

void mirror(int n, double a[restrict n][n]) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j)
      a[j][i] = a[i][j];
}

void mirror_rows(long n, long ld, double *restrict a) {
  if (ld < n)
    return;
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < i; ++j)
      a[j * ld + i] = a[i * ld + j];
}

// CHECK-LABEL: dependences of function 'mirror'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK-LABEL: dependences of function 'mirror_rows'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{parallel|unknown}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
