// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Rows picked by an index array, columns across threads: in each step all threads load the same idx[j], so x[idx[j]*n + i]
// moves by 4 bytes although its index is loaded.  gather.c is the twin in which each thread loads its own index.

void sum_picked_rows(int n, int m, const int *idx, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : idx[0 : m], x[0 : n * m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += x[idx[j] * n + i];
    y[i] = sum;
  }
}

// CHECK: region 'sum_picked_rows' at {{.*}}gather-uniform.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load idx 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [m]{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [m]{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
