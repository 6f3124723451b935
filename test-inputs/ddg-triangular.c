// RUN: %c-dependences | %FileCheck %s
//
// Below the diagonal, j < i: what is read there above it, a[j][i], is never written. With j up to i, the diagonal's element a[i][i] is both,
// in one iteration. The twin goes to 3 behind the diagonal: then a[j][i] with j > i is written when the rows have changed their parts.

float a[64][64];

void below(void) {
// CHECK-LABEL: dependences of function 'below'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}} trips i: parallel{{$}}
// CHECK-NOT: flow acc
// CHECK-NOT: anti acc
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < i; ++j)
      a[i][j] = a[j][i];
}

void with_diagonal(void) {
// CHECK-LABEL: dependences of function 'with_diagonal'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}} trips i + 1: parallel{{$}}
// CHECK: anti {{.*}} (=, =) in one iteration
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j <= i; ++j)
      a[i][j] = a[j][i];
}

void beyond(void) {
// CHECK-LABEL: dependences of function 'beyond'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j <= i + 3; ++j)
      a[i][j] = a[j][i];
}
