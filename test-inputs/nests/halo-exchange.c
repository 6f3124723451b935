// RUN: %c-dependences | %FileCheck %s
//
// The first and last inner planes of a block go to the halo at its other side. A plane's points are parallel, and reads are apart from
// writes where the block has an inner plane.

void exchange(int n, int m, double u[restrict n + 2][m]) {
  for (int j = 0; j < m; ++j) {
    u[0][j] = u[n][j];
    u[n + 1][j] = u[1][j];
  }
}

// CHECK-LABEL: dependences of function 'exchange'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel if n >= 1{{$}}
