// RUN: %c-dependences | %FileCheck %s
//
// The seven-point stencil of heat in three dimensions, from one array to another and back, with the index written out in 64 bits. The
// space loops are parallel, the time loop is not.

void heat(int steps, long n, double *restrict a, double *restrict b) {
  for (int t = 0; t < steps; ++t) {
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < n - 1; ++j)
        for (long k = 1; k < n - 1; ++k)
          b[(i * n + j) * n + k] = a[(i * n + j) * n + k] + 0.1 * (a[((i + 1) * n + j) * n + k] + a[((i - 1) * n + j) * n + k] +
                                   a[(i * n + j + 1) * n + k] + a[(i * n + j - 1) * n + k] +
                                   a[(i * n + j) * n + k + 1] + a[(i * n + j) * n + k - 1]);
    for (long i = 1; i < n - 1; ++i)
      for (long j = 1; j < n - 1; ++j)
        for (long k = 1; k < n - 1; ++k)
          a[(i * n + j) * n + k] = b[(i * n + j) * n + k];
  }
}

// CHECK-LABEL: dependences of function 'heat'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}t at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop2 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop3 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop4 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop5 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop6 {{(in loop[0-9]+ )?}}k at {{.*}} trips {{[^:]*}}: parallel{{$}}
