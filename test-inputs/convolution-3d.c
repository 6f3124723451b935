// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// 7-point convolution of an n x m x p volume, one plane i per thread: every access moves by a plane, 4*m*p bytes.
//
// ARGS: n: 40
// ARGS: m: 12
// ARGS: p: 14

void convolution_3d(int n, int m, int p, const float *A, float *B) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * m * p]) map(from : B[0 : n * m * p])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      for (int k = 1; k < p - 1; ++k)
        B[(i * m + j) * p + k] =
            2.0f * A[(i * m + j) * p + k] - 0.5f * A[((i - 1) * m + j) * p + k] -
            0.5f * A[((i + 1) * m + j) * p + k] + 0.3f * A[(i * m + j - 1) * p + k] +
            0.3f * A[(i * m + j + 1) * p + k] + 0.1f * A[(i * m + j) * p + k - 1] +
            0.1f * A[(i * m + j) * p + k + 1];
}

// CHECK: region 'convolution_3d' at {{.*}}convolution-3d.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] - 2 schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m] - 2{{$}}
// CHECK: loop2 in loop1 sequential k {{.*}}trips [p] - 2{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc3 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc4 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc5 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc6 load A 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK: acc7 store B 4 bytes
// CHECK: stride symbolic 4*[m]*[p] class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 8

// ORACLE: by hand: transform/convolution-3d-collapse3.c
