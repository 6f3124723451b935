// RUN: %c-dependences | %FileCheck %s
//
// Orthonormal columns by the modified Gram-Schmidt process, on arrays of fixed size: column k is divided by its length, and each later
// column (j) loses its part along k. Later columns are parallel, k is not.

enum { M = 120, N = 80 };
double sqrt(double) __attribute__((const));

void orthonormal(double a[restrict M][N], double q[restrict M][N], double r[restrict N][N]) {
  for (int k = 0; k < N; ++k) {
    double square = 0;
    for (int i = 0; i < M; ++i)
      square += a[i][k] * a[i][k];
    r[k][k] = sqrt(square);
    for (int i = 0; i < M; ++i)
      q[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < N; ++j) {
      double along = 0;
      for (int i = 0; i < M; ++i)
        along += q[i][k] * a[i][j];
      r[k][j] = along;
      for (int i = 0; i < M; ++i)
        a[i][j] -= q[i][k] * along;
    }
  }
}

// CHECK-LABEL: dependences of function 'orthonormal'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop4 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
// CHECK: {{^ +}}loop5 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
