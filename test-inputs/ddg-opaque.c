// RUN: %c-dependences | %FileCheck %s
//
// Effects that are not followed make the loops around them unknown, and no others. A function of numbers alone has none.

void function(int);
double sqrt(double) __attribute__((const));

void volatile_read(volatile int *v, int *restrict a, int n) {
// CHECK-LABEL: dependences of function 'volatile_read'
// CHECK-NEXT: loop0 {{.*}}: unknown: a volatile access has effects that are not followed
  for (int i = 0; i < n; ++i)
    a[i] = *v;
}

void call(int *a, int n) {
// CHECK-LABEL: dependences of function 'call'
// CHECK-NEXT: loop0 {{.*}}: unknown: a call of function has effects that are not followed
// CHECK: loop1 in loop0 {{.*}}: parallel
// CHECK: opaque a call of function in loop0
  for (int i = 0; i < n; ++i) {
    function(i);
    for (int j = 0; j < n; ++j)
      a[i * n + j] = i;
  }
}

void assembly(int *a, int n) {
// CHECK-LABEL: dependences of function 'assembly'
// CHECK-NEXT: loop0 {{.*}}: unknown: inline assembly has effects that are not followed
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    __asm__ volatile("" ::: "memory");
  }
}

void fence(int *a, int n) {
// CHECK-LABEL: dependences of function 'fence'
// CHECK-NEXT: loop0 {{.*}}: unknown: a memory fence has effects that are not followed
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  }
}

void numbers(double *restrict a, const double *restrict b, int n) {
// CHECK-LABEL: dependences of function 'numbers'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  for (int i = 0; i < n; ++i)
    a[i] = sqrt(b[i]);
}

void left_early(int *restrict a, const int *restrict b, int n) {
// CHECK-LABEL: dependences of function 'left_early'
// CHECK-NEXT: loop0 {{.*}}: unknown: an iteration can leave the loop, so that no later ones run
  for (int i = 0; i < n; ++i) {
    if (b[i])
      break;
    a[i] = i;
  }
}

void checked(int *a, const int *restrict limits, int n) {
// An iteration that fails leaves nothing to those behind it.
// CHECK-LABEL: dependences of function 'checked'
// CHECK-NEXT: loop0 {{.*}}: unknown: abort can end the program in an iteration, so that no later ones run
  for (int i = 0; i < n; ++i) {
    if (i > limits[0])
      __builtin_abort();
    a[i] = i;
  }
}
