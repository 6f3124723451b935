// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// vla-parameters.c transposed: column j per thread, so A[i][j] and y[j] move by 4 bytes and x[i] is uniform.

void vector_times(int n, int m, float A[n][m], float x[n], float y[m]) {
#pragma omp target teams distribute parallel for map(to : A[0 : n], x[0 : n]) map(tofrom : y[0 : m])
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < n; ++i)
      y[j] += x[i] * A[i][j];
}

// CHECK: region 'vector_times' at {{.*}}vla-parameters-columns.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
