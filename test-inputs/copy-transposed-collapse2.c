// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// B = A^T with fused loops, c = i*m + j: A[c] is 4 bytes apart; B[j*n + i] is 4*n bytes apart within a row of m lanes,
// and from (i, m - 1) to (i + 1, 0) it moves by 1 - (m - 1)*n elements: 4 + 4*n - 4*n*m bytes.

void transpose(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      B[j * n + i] = A[i * m + j];
}

// CHECK: region 'transpose' at {{.*}}copy-transposed-collapse2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips [n]*[m] schedule
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 store B 4 bytes
// CHECK: stride row-ends 4*[n] at row ends {{-4\*\[n\]\*\[m\] \+ 4\*\[n\] \+ 4|4\*\[n\] - 4\*\[n\]\*\[m\] \+ 4}} every [m] lanes class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
