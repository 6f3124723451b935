// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Matrices as variable-length array parameters: A[i][j] is 4*i*m + 4*j bytes into A, m the extent of a row. Row i per
// thread: A moves by the length of a row, x[j] is uniform.  vla-parameters-columns.c is the twin along a row.

void times_vector(int n, int m, float A[n][m], float x[m], float y[n]) {
#pragma omp target teams distribute parallel for map(to : A[0 : n], x[0 : m]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i] += A[i][j] * x[j];
}

// CHECK: region 'times_vector' at {{.*}}vla-parameters.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[{{[^]]+}}] class symbolic
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc2 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
