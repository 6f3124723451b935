// RUN: %c-dependences | %FileCheck %s
//
// Rows of n elements that lie ld apart, as in libraries of linear algebra: they do not meet where n <= ld, which can be tested before. That ld is
// positive follows, since a row has an element. In the twin they begin one element further in, and n + 1 <= ld is asked for where rows end one
// behind the row's length. In the third, ld is known to be less than the rows' length: where there are two elements and two rows, they meet.
//
// ARGS: m: 11
// ARGS: n: 6
// ARGS: ld: 8

void rows(int m, int n, int ld, float *a) {
// CHECK-LABEL: dependences of function 'rows'
// CHECK-NEXT: loop0 i {{.*}}: parallel if n <= ld{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * ld + j] += 1;
}

void one_more(int m, int n, int ld, float *a) {
// CHECK-LABEL: dependences of function 'one_more'
// CHECK-NEXT: loop0 i {{.*}}: parallel if n < ld{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel
  for (int i = 0; i < m; ++i)
    for (int j = 0; j <= n; ++j)
      a[i * ld + j] += 1;
}

void overlapping(int m, int n, float *a) {
// CHECK-LABEL: dependences of function 'overlapping'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      a[i * (n - 1) + j] += 1;
}

// What Polly says of these (scripts/bench dependence):
// RIVALS: 34:26 34:26: assumed is that m is 1, so that the loop over rows runs once
