// RUN: %c-dependences | %FileCheck %s
//
// A symmetric matrix, of which the lower triangle is stored row after row, plus the outer product of a vector with itself. Row i begins
// at i (i + 1) / 2, and rows do not overlap: both loops are parallel.

void update(int n, double *restrict a, const double *restrict x) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      a[i * (i + 1) / 2 + j] += x[i] * x[j];
}

// CHECK-LABEL: dependences of function 'update'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{parallel|unknown}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
