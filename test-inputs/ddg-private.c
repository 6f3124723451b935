// RUN: %c-dependences | %FileCheck %s
//
// An array of the loop's body begins anew in each iteration. The twin's is declared outside, and holds what an iteration before has left.

void body(float *restrict a, const float *restrict b, int n) {
// CHECK-LABEL: dependences of function 'body'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK-NEXT: private local row
// CHECK: flow {{.*}} (<) carried by loop0, private
  for (int i = 0; i < n; ++i) {
    float row[16];
    for (int j = 0; j < 16; ++j)
      row[j] = b[16 * i + j];
    float sum = 0;
    for (int j = 0; j < 16; ++j)
      sum += row[15 - j];
    a[i] = sum;
  }
}

void outside(float *restrict a, const float *restrict b, int n) {
// CHECK-LABEL: dependences of function 'outside'
// CHECK: loop{{[0-9]}} i {{.*}}: {{unknown|serial}}: {{.*}} dependence of local row
// CHECK-NOT: {{^ *}}private
  float row[16];
  for (int j = 0; j < 16; ++j)
    row[j] = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 15; ++j)
      row[j] += row[j + 1] + b[i];
    a[i] = row[0];
  }
}

void behind(float *restrict a, const float *restrict b, int n, int k) {
// CHECK-LABEL: dependences of function 'behind'
// CHECK: loop{{[0-9]}} i {{.*}}: parallel{{$}}
// CHECK-NEXT: private local t, whose last value is read outside of the loop
  float t[4];
  for (int j = 0; j < 4; ++j)
    t[j] = b[j];
  for (int i = 0; i < n; ++i) {
    t[2] = b[i];
    a[i] = t[2] * t[2];
  }
  a[n] = t[k];
}
