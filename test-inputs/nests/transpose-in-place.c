// RUN: %c-dependences | %FileCheck %s
//
// Elements below the diagonal are exchanged with those above it. No element is touched twice: both loops are parallel.

void transpose(int n, float a[restrict n][n]) {
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) {
      float below = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = below;
    }
}

// CHECK-LABEL: dependences of function 'transpose'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
