// RUN: %c-dependences | %FileCheck %s
//
// Distances between all pairs of nodes, allowing one more node k on the way in each step (Floyd and Warshall). In step k row k and
// column k are read and, with the same values, written: the accesses meet, and no loop is parallel by its accesses alone.

void paths(int n, float distance[restrict n][n]) {
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        float over = distance[i][k] + distance[k][j];
        distance[i][j] = over < distance[i][j] ? over : distance[i][j];
      }
}

// CHECK-LABEL: dependences of function 'paths'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
