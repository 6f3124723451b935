// RUN: %c-dependences | %FileCheck %s
//
// Five points of a grid with n columns, i and j from 1 to n - 2.
//  - From one grid into another: what is read is not written, and b[i][j] is another element in each iteration.
//  - In place (the twin): a[i][j] takes a[i][j-1] of the iteration before in j, and a[i-1][j] of the one before in i: distances (0, 1) and
//    (1, 0). Its other neighbours are written later.

void jacobi(int n, const float (*restrict a)[n], float (*restrict b)[n]) {
// CHECK-LABEL: dependences of function 'jacobi'
// CHECK-NEXT: loop0 {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 {{.*}}: parallel{{$}}
// CHECK-NOT: carried by
// CHECK: assumes 'pointers marked restrict are the only way to what they lead to'
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      b[i][j] = a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
}

void seidel(int n, float (*a)[n]) {
// CHECK-LABEL: dependences of function 'seidel'
// CHECK-NEXT: loop0 {{.*}}: serial: {{.*}} dependence of a
// CHECK-NEXT: loop1 in loop0 {{.*}}: serial: {{.*}} dependence of a
// CHECK-DAG: flow {{.*}} (=, < 1) carried by loop1, certain
// CHECK-DAG: flow {{.*}} (< 1, =) carried by loop0, certain
// CHECK-DAG: anti {{.*}} (=, < 1) carried by loop1, certain
// CHECK-DAG: anti {{.*}} (< 1, =) carried by loop0, certain
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j)
      a[i][j] = a[i][j - 1] + a[i][j + 1] + a[i - 1][j] + a[i + 1][j];
}
