// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// B = A^T, row i of the n x m matrix A per thread: A[i*m + j] is 4*m bytes apart, B[j*n + i] 4 bytes.

void transpose(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[j * n + i] = A[i * m + j];
}

// CHECK: region 'transpose' at {{.*}}copy-transposed.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc1 store B 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [m]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1

// ORACLE: by hand: copy-transposed-collapse2.c
