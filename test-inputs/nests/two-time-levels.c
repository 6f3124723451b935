// RUN: %c-dependences | %FileCheck %s
//
// Jacobi's relaxation with both time levels in one array: step t reads level t mod 2 and writes the other. In a step all points are
// parallel; steps are not.

void relax(int steps, long n, double *restrict u) {
  for (int t = 0; t < steps; ++t)
    for (long i = 1; i < n - 1; ++i)
      u[(t + 1) % 2 * n + i] = (u[t % 2 * n + i - 1] + u[t % 2 * n + i] + u[t % 2 * n + i + 1]) / 3;
}

// CHECK-LABEL: dependences of function 'relax'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}t at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}

// RIVALS: 9:33 9:30: assumed is that addresses do not wrap: in Polly's form this one is not inbounds
// RIVALS: 9:56 9:30: assumed is that addresses do not wrap: in Polly's form this one is not inbounds
// RIVALS: 9:75 9:30: assumed is that addresses do not wrap: in Polly's form this one is not inbounds
// RIVALS: 9:30 9:30: assumed is that addresses do not wrap: in Polly's form this one is not inbounds
