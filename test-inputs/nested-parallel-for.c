// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Teams share the rows, the threads of a team share the columns of a row: neighbouring threads have neighbouring j and
// the same i. A[i*m + j] and B[i*m + j] are 4 bytes apart, scale[i] is uniform. One thread starts each inner loop, so
// the region runs in generic mode.  nested-parallel-for-columns.c is the twin that walks across rows.

void scale_rows(int n, int m, const float *scale, const float *A, float *B) {
#pragma omp target teams distribute map(to : scale[0 : n], A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      B[i * m + j] = scale[i] * A[i * m + j];
  }
}

// CHECK: region 'scale_rows' at {{.*}}nested-parallel-for.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 for j {{.*}}trips [m] schedule
// CHECK: acc0 load scale 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs 1{{$}}
// CHECK: acc1 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 1{{$}}
// CHECK: acc2 store B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 1{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
