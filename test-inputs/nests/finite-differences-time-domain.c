// RUN: %c-dependences | %FileCheck %s
//
// One step in time of an electromagnetic wave in two dimensions (Yee's scheme), on arrays of fixed size: each of the three loop nests
// writes one field from others. All space loops are parallel, the time loop is not.

enum { X = 60, Y = 50 };

void steps(int steps, double ex[restrict X][Y], double ey[restrict X][Y], double hz[restrict X][Y]) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < X; ++i)
      for (int j = 0; j < Y; ++j)
        ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < X; ++i)
      for (int j = 1; j < Y; ++j)
        ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < X - 1; ++i)
      for (int j = 0; j < Y - 1; ++j)
        hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

// CHECK-LABEL: dependences of function 'steps'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}t at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop4 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop5 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop6 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
