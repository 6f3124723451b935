// RUN: %c-dependences | %FileCheck %s
//
// Two pointers may lead to one array: then the loop is parallel only where what it touches of both does not overlap. That need not be asked
// where the pointer that is written is restrict, where the types of the elements differ, or where both are arrays of their own. The twin
// with characters, which may be part of anything, has to ask.

static float x[100], y[100];

void plain(float *a, const float *b, int n) {
// CHECK-LABEL: dependences of function 'plain'
// CHECK-NEXT: loop0 {{.*}}: parallel if b and a do not overlap{{$}}
// CHECK: any acc0 with acc1, unless b and a do not overlap
// CHECK: footprint b from [b] to before [b] + 4*[n]
// CHECK: footprint a from [a] to before [a] + 4*[n]
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
}

void restricted(float *restrict a, const float *b, int n) {
// CHECK-LABEL: dependences of function 'restricted'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK: assumes 'pointers marked restrict are the only way to what they lead to'
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
}

void types(int *a, const float *b, int n) {
// CHECK-LABEL: dependences of function 'types'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK: assumes 'memory is accessed by one type alone (strict aliasing)'
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
}

void characters(char *a, const float *b, int n) {
// CHECK-LABEL: dependences of function 'characters'
// CHECK-NEXT: loop0 {{.*}}: parallel if b and a do not overlap{{$}}
  for (int i = 0; i < n; ++i)
    a[i] = b[i];
}

void arrays(int n) {
// CHECK-LABEL: dependences of function 'arrays'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NOT: any acc
  for (int i = 0; i < n; ++i)
    x[i] = y[i];
}

void argument_and_array(float *a, int n) {
// CHECK-LABEL: dependences of function 'argument_and_array'
// CHECK-NEXT: loop0 {{.*}}: parallel if x and a do not overlap{{$}}
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
}

void scattered(float *a, const float *b, const int *at, int n) {
// No footprint, no guard.
// CHECK-LABEL: dependences of function 'scattered'
// CHECK-NEXT: loop0 {{.*}}: unknown:
  for (int i = 0; i < n; ++i)
    a[at[i]] = b[i];
}
