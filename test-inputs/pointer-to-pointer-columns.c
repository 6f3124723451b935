// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Rows behind a table of pointers, one column per thread: in each step all threads read the same pointer, rows[i], and
// neighbouring elements behind it, 4 bytes apart.

void column_sums(int n, int m, float **rows, float *sums) {
#pragma omp target teams distribute parallel for map(to : rows[0 : n]) map(from : sums[0 : m])
  for (int j = 0; j < m; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
      sum += rows[i][j];
    sums[j] = sum;
  }
}

// CHECK: region 'column_sums' at {{.*}}pointer-to-pointer-columns.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips [m] schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips [n]{{$}}
// CHECK: acc0 load rows 8 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc1 load {{[^ ]+}} 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store sums 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
