// RUN: %c-dependences | %FileCheck %s
//
// Five-point relaxation in place, row by row: each point takes new values from above and from the left, old ones from the right and from
// below: distances (1, 0) and (0, 1). No loop is parallel.

void relax(int n, int m, double u[restrict n][m]) {
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      u[i][j] = 0.2 * (u[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

// CHECK-LABEL: dependences of function 'relax'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
