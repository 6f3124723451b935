// RUN: %c-dependences | %FileCheck %s
//
// Figure 4.2 of the thesis: A[(i + 8) * N] and A[i * N]. The difference is 4*N times the distance of the iterations, and 32*N: none of six
// iterations is 8 from another one, as long as N is not 0. Figure 4.3: a nest over rows of a length that is a parameter. No two iterations
// of it meet where j stays below that length; where j may go on for ever, they do.

void six_iterations(int *A, long N, int x) {
// CHECK-LABEL: dependences of function 'six_iterations'
// CHECK-NEXT: loop0 {{.*}} trips 6: parallel{{$}}
  if (N < 1) return;
  for (int i = 0; i < 6; i++)
    A[(i + 8) * N] = A[i * N] + x;
}

void of_any_length(int *A, long N, int x) {
// With N = 0 all iterations meet.
// CHECK-LABEL: dependences of function 'of_any_length'
// CHECK-NEXT: loop0 {{.*}} trips 6: {{unknown|serial|parallel if}}
  for (int i = 0; i < 6; i++)
    A[(i + 8) * N] = A[i * N] + x;
}

void nine_iterations(int *A, long N, int x) {
// The ninth iteration reads what the first has written.
// CHECK-LABEL: dependences of function 'nine_iterations'
// CHECK-NEXT: loop0 {{.*}} trips 9: {{unknown|serial}}: flow dependence of A
// CHECK: flow acc1 -> acc0 (< 8) carried by loop0
  if (N < 1) return;
  for (int i = 0; i < 9; i++)
    A[(i + 8) * N] = A[i * N] + x;
}

void nest(int *A, long n1, long n2) {
// CHECK-LABEL: dependences of function 'nest'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}}: parallel{{$}}
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      A[i * n2 + j] += 1;
}

void across_rows(int *A, long n1, long n2) {
// The element behind the last of a row is the first of the next: both loops carry it.
// CHECK-LABEL: dependences of function 'across_rows'
// CHECK-NEXT: loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of A
// CHECK-NEXT: loop1 in loop0 {{.*}}: {{unknown|serial}}: {{.*}} dependence of A
  for (long i = 0; i < n1; i++)
    for (long j = 0; j < n2; j++)
      A[i * n2 + j + 1] = A[i * n2 + j];
}

// What LLVM's analysis says of these (scripts/bench dependence):
// RIVALS: 20:22 20:20: wrong: where N is 0, all iterations read and write A[0]
// RIVALS: 20:20 20:20: wrong: where N is 0, all iterations store to A[0]
// RIVALS: 39:21 39:21: assumed is that addresses do not wrap: in Polly's form they are not inbounds; ipda tests it
