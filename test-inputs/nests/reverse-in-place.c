// RUN: %c-dependences | %FileCheck %s
//
// The two ends of an array are exchanged, going inwards until the middle: element i of the lower half meets n - 1 - i of the upper half
// alone, and the halves do not overlap. Parallel.

void reverse(int n, float *restrict a) {
  for (int i = 0; i < n / 2; ++i) {
    float low = a[i];
    a[i] = a[n - 1 - i];
    a[n - 1 - i] = low;
  }
}

// CHECK-LABEL: dependences of function 'reverse'
// CHECK: {{^ +}}loop0 {{(in loop[0-9]+ )?}}i at {{.*}} trips {{[^:]*}}: parallel{{$}}
