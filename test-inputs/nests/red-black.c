// RUN: %c-dependences | %FileCheck %s
//
// The even and the odd points of a line are relaxed by turns; each turn reads the other colour alone, so that both loops are parallel.

void relax(int n, double *restrict u) {
  for (int i = 1; i < n; ++i)
    u[2 * i] = 0.5 * (u[2 * i - 1] + u[2 * i + 1]);
  for (int i = 0; i < n; ++i)
    u[2 * i + 1] = 0.5 * (u[2 * i] + u[2 * i + 2]);
}

// CHECK-LABEL: dependences of function 'relax'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
