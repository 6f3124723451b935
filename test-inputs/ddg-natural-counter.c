// RUN: %c-dependences | %FileCheck %s
//
// A counter of 64 bits without sign could lead around all addresses. But where each iteration accesses x[i], neighbours lie in one object, and no
// object is as large as half of the addresses: the distance is 4 bytes each time, and no two iterations meet. With a condition around the access,
// or a step that is not known to be small, that says nothing, and it must be tested that the last byte, 16*(n - 1) + 3 behind x, is less than 2^63
// behind.
//
// ARGS: n: 50
// ARGS: s: 3

void each(unsigned long n, float *x) {
// CHECK-LABEL: dependences of function 'each'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK: assumes 'index arithmetic stays in its array
  for (unsigned long i = 0; i < n; ++i)
    x[i] += 1;
}

void only_some(unsigned long n, unsigned long s, const unsigned char *which, float *x) {
// Where iterations 0 and 2^62 alone store, they store to one place.
// CHECK-LABEL: dependences of function 'only_some'
// CHECK-NEXT: loop0 i {{.*}}: parallel if n <= 2^59, which and x do not overlap{{$}}
  for (unsigned long i = 0; i < n; ++i)
    if (which[i % 7])
      x[i * 4] = 1;
}

void unknown_step(unsigned long n, unsigned long s, float *x) {
// CHECK-LABEL: dependences of function 'unknown_step'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown: output dependence of x|serial: output dependence of x|parallel if .*n\*s.*s >= 1}}
  for (unsigned long i = 0; i < n; ++i)
    x[i * s] = 1;
}

// What LLVM's analysis says of these (scripts/bench dependence):
// RIVALS: 25:16 25:16: wrong: where iterations 0 and 2^62 alone store, they store to one place
// RIVALS: 32:14 32:14: wrong: where s is 0, all iterations store to x[0]
