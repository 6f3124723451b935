// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
//
// A counter that is declared outside of a parallel region is one for all its threads, which then race for it. The reason says so, and that it wants
// a private clause; with one, nothing is in the way.

void forgotten(int n, int m, float *a) {
  int i, j;
#pragma omp target map(tofrom : a[0 : n * m])
#pragma omp parallel for
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      a[i * m + j] += 1;
}

// CHECK: region 'forgotten'
// CHECK: transformation left
// CHECK-NEXT: because 'j is shared by all threads of a team' at {{.*}}:12:12

void private_to_each(int n, int m, float *a) {
  int i, j;
#pragma omp target map(tofrom : a[0 : n * m])
#pragma omp parallel for private(j)
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      a[i * m + j] += 1;
}

// CHECK: region 'private_to_each'
// CHECK: transformation possible threads i j
