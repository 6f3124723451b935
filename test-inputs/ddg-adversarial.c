// RUN: %c-dependences | %FileCheck %s
//
// Loops of which dependence tests have said too much.

void stride_of_any_sign(float *a, int n, long s) {
// For s = 1, -1 or 0 iterations meet.
// CHECK-LABEL: dependences of function 'stride_of_any_sign'
// CHECK-NEXT: loop0 {{.*}}: {{unknown:|serial:|parallel if s >= 2}}
  for (int i = 0; i < n; ++i)
    a[i * s] = a[i * s + 1];
}

void sizes(char *a, int n) {
// 4 bytes from 2*i on, and the byte at 2*i + 3: the next iteration's word begins before it.
// CHECK-LABEL: dependences of function 'sizes'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
// CHECK: output acc0 -> acc0 (< 1) carried by loop0
// CHECK: output acc1 -> acc0 (<{{.*}}) carried by loop0
  for (int i = 0; i < n; ++i) {
    __builtin_memset(a + 2 * i, 0, 4);
    a[2 * i + 3] = 1;
  }
}

void crossing(float *a, int n) {
// The middle element meets itself in one iteration.
// CHECK-LABEL: dependences of function 'crossing'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
// CHECK-DAG: anti acc0 -> acc1 (<) carried by loop0
// CHECK-DAG: flow acc1 -> acc0 (<) carried by loop0
// CHECK-DAG: anti acc0 -> acc1 (=) in one iteration
  for (int i = 0; i < n; ++i)
    a[i] = a[n - 1 - i];
}

void unsigned_index(float *a, unsigned n) {
// 2^31 * i is 0 for every second i: unsigned arithmetic wraps.
// CHECK-LABEL: dependences of function 'unsigned_index'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: output dependence of a
  for (unsigned i = 0; i < n; ++i)
    a[2147483648u * i] = 1;
}

void inner_exit(int *restrict a, const int *restrict b, int n) {
// How far j goes is not known.
// CHECK-LABEL: dependences of function 'inner_exit'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of a
// CHECK-NEXT: loop1 in loop0 {{.*}}: unknown: an iteration can leave the loop
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (b[j] > i)
        break;
      a[i + j] = i;
    }
}

// What LLVM's analysis and Polly say of these (scripts/bench dependence):
// RIVALS: 10:14 10:14: wrong: where s is 0, all iterations store to one place
// RIVALS: 20:5 20:5: wrong: the stores are 4 bytes long and 2 apart
// RIVALS: 20:5 21:18: wrong: the byte at 3 is in the word of the next iteration
// RIVALS: 41:24 41:24: assumed is that 2147483648 * i does not wrap, which holds for two iterations only
