// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Symmetric rank-2k update, C = beta*C + alpha*(A*B^T + B*A^T); C is n x n, A and B are n x m.
// Row i per thread: C[i*n + j] is 4*n, A[i*m + k] and B[i*m + k] are 4*m bytes apart;
// A[j*m + k] and B[j*m + k] are uniform.

void syr2k(int n, int m, float alpha, float beta, const float *A, const float *B, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m], B[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = beta * C[i * n + j];
      for (int k = 0; k < m; ++k)
        sum += alpha * (A[i * m + k] * B[j * m + k] + B[i * m + k] * A[j * m + k]);
      C[i * n + j] = sum;
    }
}

// CHECK: region 'syr2k' at {{.*}}syr2k.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [n]{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [m]{{$}}
// CHECK: acc0 load C 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n]{{$}}
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [n]*[m]{{$}}
// CHECK: acc2 load B 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]*[m]{{$}}
// CHECK: acc3 load B 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [n]*[m]{{$}}
// CHECK: acc4 load A 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]*[m]{{$}}
// CHECK: acc5 store C 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 4

// ORACLE: by hand: transform/syr2k-collapse2.c
