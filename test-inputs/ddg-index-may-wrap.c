// RUN: %c-dependences | %FileCheck %s
//
// Natural numbers of 32 bits wrap. The greatest index of the first nest is (n - 1)*k + k - 1 = n*k - 1: where that fits in 32 bits, no two
// iterations meet, and this can be tested before. In the twin the rows are one element longer than they lie apart, so that they meet, whether
// indices wrap or not. In the third, 2^31 * i wraps in the second iteration: no condition that lets the loop run helps. In the last, the index is
// not known before.
//
// ARGS: n: 9
// ARGS: k: 7

void rows(unsigned n, unsigned k, float *a) {
// CHECK-LABEL: dependences of function 'rows'
// CHECK-NEXT: loop0 i {{.*}}: parallel if n*k <= 2^32{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel if n*k <= 2^32{{$}}
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < k; ++j)
      a[i * k + j] += 1;
}

void longer_rows(unsigned n, unsigned k, float *a) {
// CHECK-LABEL: dependences of function 'longer_rows'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < k; ++j)
      a[i * (k - 1) + j] += 1;
}

void always_wrapping(unsigned n, float *a) {
// CHECK-LABEL: dependences of function 'always_wrapping'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
// CHECK-NOT: unless
// CHECK: footprint
  for (unsigned i = 0; i < n; ++i)
    a[2147483648u * i] += 1;
}

void of_data(unsigned n, unsigned k, const unsigned *at, float *a) {
// CHECK-LABEL: dependences of function 'of_data'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
  for (unsigned i = 0; i < n; ++i)
    a[at[i] * k + i] += 1;
}

// What Polly says of these (scripts/bench dependence):
// RIVALS: 34:24 34:24: assumed is that 2147483648 * i does not wrap, which holds for two iterations only
