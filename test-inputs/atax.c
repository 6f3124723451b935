// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = A^T * (A*x) for an n x m matrix in two regions.
// Rows across threads: A[i*m + j] is 4*m bytes apart, x[j] uniform, tmp[i] 4 bytes apart.
// Columns across threads: A[i*m + j] and y[j] are 4 bytes apart, tmp[i] uniform.

void atax(int n, int m, const float *A, const float *x, float *y, float *tmp) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], x[0 : m]) map(from : tmp[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j] * x[j];
    tmp[i] = sum;
  }

#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], tmp[0 : n]) map(from : y[0 : m])
  for (int j = 0; j < m; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
      sum += A[i * m + j] * tmp[i];
    y[j] = sum;
  }
}

// CHECK: region 'atax' at {{.*}}atax.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [m]{{$}}
// CHECK: acc2 store tmp 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: region 'atax' at {{.*}}atax.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc1 load tmp 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
