// RUN: %c-dependences | %FileCheck %s
//
// An array of ni x nj x nk floats with none of the three known, swept along its middle dimension: only j carries, at distance 1.
// The twin sweeps along the diagonal of the last two: (0, 1, 1), so k alone is parallel among the inner two.

void middle(int ni, int nj, int nk, float a[ni][nj][nk]) {
// CHECK-LABEL: dependences of function 'middle'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: serial: flow dependence of a
// CHECK-NEXT: loop2 in loop1 k {{.*}}: parallel{{$}}
// CHECK: flow acc[[W:[0-9]+]] -> acc{{[0-9]+}} (=, < 1, =) carried by loop1, certain
// CHECK-NOT: carried by
// CHECK: footprint a from [a] to before [a] + 4*[ni]*[nj]*[nk]
  for (int i = 0; i < ni; ++i)
    for (int j = 1; j < nj; ++j)
      for (int k = 0; k < nk; ++k)
        a[i][j][k] += a[i][j - 1][k];
}

void diagonal(int ni, int nj, int nk, float a[ni][nj][nk]) {
// CHECK-LABEL: dependences of function 'diagonal'
// CHECK-NEXT: loop0 i {{.*}}: parallel{{$}}
// CHECK-NEXT: loop1 in loop0 j {{.*}}: serial: flow dependence of a
// CHECK-NEXT: loop2 in loop1 k {{.*}}: parallel{{$}}
// CHECK: flow {{.*}} (=, < 1, < 1) carried by loop1, certain
  for (int i = 0; i < ni; ++i)
    for (int j = 1; j < nj; ++j)
      for (int k = 1; k < nk; ++k)
        a[i][j][k] += a[i][j - 1][k - 1];
}
