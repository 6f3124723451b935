// RUN: %c-dependences | %FileCheck %s
//
// y = A x with a banded A of 2 w + 1 diagonals, and A scaled on the way. Element (i, j) is stored at i (2 w + 1) + j - i + w; rows are
// parallel, and the elements of a row are, but for the sum.

void times(int n, int w, double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = w; i < n - w; ++i)
    for (int j = i - w; j <= i + w; ++j) {
      a[i * (2 * w + 1) + j - i + w] *= 2;
      y[i] += a[i * (2 * w + 1) + j - i + w] * x[j];
    }
}

// CHECK-LABEL: dependences of function 'times'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
// CHECK: {{^ +}}loop1 {{(in loop[0-9]+ )?}}j at {{.*}} trips {{[^:]*}}: parallel if the reduction is made one: reduction(+ : {{.*}}){{$}}
