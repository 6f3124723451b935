// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Rank-k update of the lower triangle, C = beta*C + alpha*A*A^T for j <= i; C is n x n, A is n x m.
// Row i per thread: C[i*n + j] is 4*n and A[i*m + k] 4*m bytes apart, A[j*m + k] is uniform.
// The loop over j runs i + 1 times.

void syrk(int n, int m, float alpha, float beta, const float *A, float *C) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m]) map(tofrom : C[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      float sum = beta * C[i * n + j];
      for (int k = 0; k < m; ++k)
        sum += alpha * A[i * m + k] * A[j * m + k];
      C[i * n + j] = sum;
    }
}

// CHECK: region 'syrk' at {{.*}}syrk.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips i + 1{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [m]{{$}}
// CHECK: acc0 load C 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc3 store C 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3

// ORACLE: by hand: transform/syrk-collapse2.c
