// RUN: %c-dependences | %FileCheck %s
//
// Bounds with a margin, and quotients that are rounded towards zero. The lower triangle with one element above the diagonal, j <= i + 1, in rows
// of n: no two iterations meet as long as i + 1 < n, so up to i = n - 2. In the twin i goes on to n: row n - 1 ends with element n, which is
// the first of row n.
// i / 2 for i from 0 on takes each value twice: neighbours meet. (2*i) / 2 is i for i of any sign. For even i and odd ones alone, i / 2 takes
// values once each, but for odd ones around zero: -1 / 2 and 1 / 2 are both 0.
//
// ARGS: n: 12

void triangle(int n, float *a) {
// CHECK-LABEL: dependences of function 'triangle'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel{{$}}
  for (int i = 0; i < n - 1; ++i)
    for (int j = 0; j <= i + 1; ++j)
      a[i * n + j] += 1;
}

void triangle_over_the_edge(int n, float *a) {
// CHECK-LABEL: dependences of function 'triangle_over_the_edge'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel{{$}}
  for (int i = 0; i < n + 1; ++i)
    for (int j = 0; j <= i + 1; ++j)
      a[i * n + j] += 1;
}

void halves(int n, float *a) {
// CHECK-LABEL: dependences of function 'halves'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (int i = 0; i < n; ++i)
    a[i / 2] = i;
}

void halves_of_doubles(int n, float *a) {
// CHECK-LABEL: dependences of function 'halves_of_doubles'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  for (int i = -n; i < n; ++i)
    a[n + 2 * i / 2] = i;
}

void halves_around_zero(int n, float *a) {
// CHECK-LABEL: dependences of function 'halves_around_zero'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (int i = -n; i < n; i += 2)
    a[n + i / 2] = i;
}
