// RUN: %c-dependences | %FileCheck %s
//
// A recurrence along the middle one of three dimensions, whose sizes are known when the program runs: the outer and the inner loop are
// parallel, the middle one is not.

void sweep(int l, int m, int n, double p[restrict l][m][n]) {
  for (int i = 0; i < l; ++i)
    for (int j = 1; j < m; ++j)
      for (int k = 0; k < n; ++k)
        p[i][j][k] += 0.5 * p[i][j - 1][k];
}

// The same with the index written out.
void sweep_flat(long l, long m, long n, double *restrict p) {
  for (long i = 0; i < l; ++i)
    for (long j = 1; j < m; ++j)
      for (long k = 0; k < n; ++k)
        p[(i * m + j) * n + k] += 0.5 * p[(i * m + j - 1) * n + k];
}

// CHECK-LABEL: dependences of function 'sweep'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK-LABEL: dependences of function 'sweep_flat'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel{{$}}

// What LLVM's analysis and Polly say of these (scripts/bench dependence):
// RIVALS: 18:32 18:32: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
// RIVALS: 18:41 18:32: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
