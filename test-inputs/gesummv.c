// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = alpha*A*x + beta*B*x for square matrices, one row per thread.
// A[i*n + j] and B[i*n + j] are 4*n bytes apart, x[j] is uniform, y[i] 4 bytes apart.
// x[j] is read once per iteration: the second read has the same address and nothing is stored between.

void gesummv(int n, float alpha, float beta, const float *A, const float *B, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * n], B[0 : n * n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float a = 0.0f, b = 0.0f;
    for (int j = 0; j < n; ++j) {
      a += A[i * n + j] * x[j];
      b += B[i * n + j] * x[j];
    }
    y[i] = alpha * a + beta * b;
  }
}

// CHECK: region 'gesummv' at {{.*}}gesummv.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [n]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n]{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]{{$}}
// CHECK: acc2 load B 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n]{{$}}
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 2
