// RUN: %c-dependences | %FileCheck %s
//
// The first n elements go to the n behind them: reads end where writes begin. Parallel. With one less between them, the last element
// read is the first written, and the loop is not parallel.

void copy(long n, float *restrict a) {
  for (long i = 0; i < n; ++i)
    a[i + n] = a[i];
}

void copy_one_less(long n, float *restrict a) {
  for (long i = 0; i < n; ++i)
    a[i + n - 1] = a[i];
}

// CHECK-LABEL: dependences of function 'copy'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK-LABEL: dependences of function 'copy_one_less'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: {{serial|unknown}}:

// What LLVM's analysis and Polly say of these (scripts/bench dependence):
// RIVALS: 8:16 8:14: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
// RIVALS: 8:14 8:14: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
// RIVALS: 13:18 13:18: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
