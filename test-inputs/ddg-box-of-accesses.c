// RUN: %clang -O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - %s \
// RUN:   | %opt -passes='function(mem2reg,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,loop(loop-rotate),instcombine<no-verify-fixpoint>,loop(indvars))' -o - \
// RUN:   | %dependences | %FileCheck %s
//
// These passes lose the mark that index arithmetic stays in its array, and with lengths of 64 bits, rows could lie around all addresses. But where
// all elements of n1 rows of n2 are accessed, they are 4*n1*n2 bytes of one object: less than 2^63, so that no two are one. Where a condition
// leaves elements out, where the program may end before, or where rows lie ld apart, of which nothing is known, the same must be tested.
//
// ARGS: n1: 7
// ARGS: n2: 5
// ARGS: ld: 6

void all_elements(long n1, long n2, float *a) {
// CHECK-LABEL: dependences of function 'all_elements'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}}: parallel{{$}}
// CHECK: assumes 'index arithmetic stays in its array
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      a[i * n2 + j] += 1;
}

void behind_the_first(long n, float *a) {
// Reads end where writes begin.
// CHECK-LABEL: dependences of function 'behind_the_first'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
  for (long i = 0; i < n; i++)
    a[i + n] = a[i];
}

void some_elements(long n1, long n2, const char *which, float *a) {
// CHECK-LABEL: dependences of function 'some_elements'
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .*9223372036854775[0-9]+ >= 0.*}}
// CHECK: output {{.*}} carried by loop0
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      if (which[j % 3])
        a[i * n2 + j] = 1;
}

void until_the_end(long n1, long n2, const char *which, float *a) {
// CHECK-LABEL: dependences of function 'until_the_end'
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .*9223372036854775[0-9]+ >= 0.*}}
// CHECK: output {{.*}} carried by loop0
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++) {
      a[i * n2 + j] = 1;
      if (which[0])
        __builtin_abort();
    }
}

void rows_anywhere(long n1, long n2, long ld, float *a) {
// CHECK-LABEL: dependences of function 'rows_anywhere'
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .*9223372036854775[0-9]+ >= 0.*}}
// CHECK: output {{.*}} carried by loop0
  if (n2 > ld)
    return;
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      a[i * ld + j] = 1;
}
