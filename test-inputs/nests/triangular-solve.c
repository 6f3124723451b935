// RUN: %c-dependences | %FileCheck %s
//
// L x = b by forward substitution, for several right-hand sides in the columns of x. Columns (c) are parallel, rows (i) are not, and the
// innermost loop is a sum in memory.

void solve(int n, int m, const double *restrict l, double *restrict x) {
  for (int c = 0; c < m; ++c)
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k)
        x[i * m + c] -= l[i * n + k] * x[k * m + c];
      x[i * m + c] /= l[i * n + i];
    }
}

// CHECK-LABEL: dependences of function 'solve'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}c at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
