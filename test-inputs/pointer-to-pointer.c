// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Rows behind a table of pointers, one row per thread: the table moves by 8 bytes; where the elements lie is decided by the
// pointers in it.  pointer-to-pointer-columns.c is the twin in which all threads follow the same pointer.

void first_elements(int n, float **rows, float *y) {
#pragma omp target teams distribute parallel for map(to : rows[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = rows[i][0];
}

// CHECK: region 'first_elements' at {{.*}}pointer-to-pointer.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load rows 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load {{[^ ]+}} 4 bytes
// CHECK: stride data-dependent
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
