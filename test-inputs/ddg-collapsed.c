// RUN: %compile-device %s | %dependences | %FileCheck %s
//
// A collapsed nest has one number c: element c of a, and of b column c / m of row c % m. Each iteration has its own of both.
// The twin leaves the row out: all rows of the nest meet in one, which atomic updates allow and stores do not.

void transposed(float *a, const float *b, int n, int m) {
// CHECK-LABEL: dependences of region 'transposed'
// CHECK-NEXT: loop0 shared i, j {{.*}}: parallel if b and a do not overlap{{$}}
// CHECK: footprint b from [b] to before [b] + 4*[n]*[m]
// CHECK: footprint a from [a] to before [a] + 4*[n]*[m]
#pragma omp target teams distribute parallel for collapse(2) map(to : b[0 : n * m]) map(from : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] = b[j * n + i];
}

void one_row(float *a, int n, int m) {
// CHECK-LABEL: dependences of region 'one_row'
// CHECK-NEXT: loop0 shared i, j {{.*}}: parallel{{$}}
// CHECK: atomic by float add a
#pragma omp target teams distribute parallel for collapse(2) map(tofrom : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      a[j] += 1;
    }
}

// In one thread, so that there is no race.
void one_row_stored(float *a, int n, int m) {
// CHECK-LABEL: dependences of region 'one_row_stored'
// CHECK-NEXT: loop0 i {{.*}}: {{unknown|serial}}: output dependence of a
// CHECK-NEXT: loop1 in loop0 j {{.*}}: parallel{{$}}
#pragma omp target map(from : a[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j] = 1;
}
