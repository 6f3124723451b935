// RUN: %c-dependences | %FileCheck %s
//
// The index is 2*i, and one more under a condition. Where the condition is one for all iterations, or decided anew in each of them, the
// elements of two iterations are two apart, give or take one: never the same. The twin adds two: then iteration i + 1 without it meets
// iteration i with it, unless all iterations are with it.

void by_argument(float *a, int n, int c) {
// CHECK-LABEL: dependences of function 'by_argument'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  for (int i = 0; i < n; ++i) {
    int at = 2 * i;
    if (c > 0)
      at = 2 * i + 1;
    a[at] = i;
  }
}

void by_parity(float *a, int n) {
// CHECK-LABEL: dependences of function 'by_parity'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  for (int i = 0; i < n; ++i) {
    int at = 2 * i;
    if (i > 7)
      at = 2 * i + 1;
    a[at] = i;
  }
}

void two_more(float *a, int n, int c) {
// CHECK-LABEL: dependences of function 'two_more'
// CHECK-NEXT: loop0 {{.*}}: parallel if n <= c{{ *$}}
// CHECK: output acc0 -> acc0 (< 1) carried by loop0, {{.*}}, unless n <= c{{ *$}}
  for (int i = 0; i < n; ++i) {
    int at = 2 * i;
    if (i < c)
      at = 2 * i + 2;
    a[at] = i;
  }
}
