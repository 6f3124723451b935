// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// nested-parallel-for.c with the matrices stored by columns: neighbouring threads have neighbouring j, and A[j*n + i]
// moves by 4*n bytes.

void scale_rows(int n, int m, const float *scale, const float *A, float *B) {
#pragma omp target teams distribute map(to : scale[0 : n], A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i) {
#pragma omp parallel for
    for (int j = 0; j < m; ++j)
      B[j * n + i] = scale[i] * A[j * n + i];
  }
}

// CHECK: region 'scale_rows' at {{.*}}nested-parallel-for-columns.c:{{[0-9]+}}
// DEVICE-SAME: (device, generic
// CHECK: loop0 distribute i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 for j {{.*}}trips [m] schedule
// CHECK: acc0 load scale 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc2 store B 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
