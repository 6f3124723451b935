// RUN: %clang -O2 -g -c -emit-llvm -Xclang -disable-llvm-passes -o - %s \
// RUN:   | %opt -passes='function(mem2reg,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,reassociate,loop(loop-rotate),instcombine<no-verify-fixpoint>,loop(indvars))' -o - \
// RUN:   | %dependences | %FileCheck %s
//
// These passes lose the mark that index arithmetic stays in its array, and with lengths of 64 bits, rows could lie around all addresses: rows
// of 2^61 elements of 4 bytes are 2^63 bytes apart, and every second one is the same. That all elements lie within 2^63 bytes is tested
// before: 4*n1*n2 bytes here, and 4*ld*(n1 - 1) + 4*n2 where rows lie ld apart.
//
// ARGS: n1: 7
// ARGS: n2: 5
// ARGS: ld: 6

void all_elements(long n1, long n2, float *a) {
// CHECK-LABEL: dependences of function 'all_elements'
// CHECK-NEXT: loop0 {{.*}}: parallel if n1*n2 <= 2^61{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}}: parallel if n1*n2 <= 2^61{{$}}
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      a[i * n2 + j] += 1;
}

void behind_the_first(long n, float *a) {
// Reads end where writes begin: 8*n bytes.
// CHECK-LABEL: dependences of function 'behind_the_first'
// CHECK-NEXT: loop0 {{.*}}: parallel if n <= 2^60{{$}}
  for (long i = 0; i < n; i++)
    a[i + n] = a[i];
}

void some_elements(long n1, long n2, const char *which, float *a) {
// CHECK-LABEL: dependences of function 'some_elements'
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .* <= (2\^61|.*2305843009213693952).*}}
// CHECK: output {{.*}} carried by loop0
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      if (which[j % 3])
        a[i * n2 + j] = 1;
}

void until_the_end(long n1, long n2, const char *which, float *a) {
// CHECK-LABEL: dependences of function 'until_the_end'
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .* <= (2\^61|.*2305843009213693952).*}}
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
// CHECK-NEXT: loop0 {{.*}}: {{unknown: .*|parallel if .* <= (2\^61|.*2305843009213693952).*}}
// CHECK: output {{.*}} carried by loop0
  if (n2 > ld)
    return;
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      a[i * ld + j] = 1;
}

// What LLVM's analysis and Polly say of these (scripts/bench dependence):
// RIVALS: 19:21 19:21: assumed is that addresses do not wrap: in this form they are not inbounds; ipda tests it
// RIVALS: 27:16 27:14: assumed is that addresses do not wrap: in this form they are not inbounds; ipda tests it
// RIVALS: 27:14 27:14: assumed is that addresses do not wrap: in this form they are not inbounds; ipda tests it
// RIVALS: 37:23 37:23: assumed is that addresses do not wrap: in this form they are not inbounds; ipda tests it
