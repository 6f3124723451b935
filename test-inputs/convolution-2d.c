// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// 3x3 convolution of an n x m image, one row per thread: every access moves by one row, 4*m bytes.
// Both loops run over the interior: n - 2 and m - 2 iterations.
// convolution-2d-collapse2.c is the same stencil with neighbouring pixels on neighbouring threads.

void convolution_2d(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      B[i * m + j] = 0.1f * A[(i - 1) * m + (j - 1)] + 0.2f * A[(i - 1) * m + j] +
                     0.3f * A[(i - 1) * m + (j + 1)] - 0.4f * A[i * m + (j - 1)] + 0.5f * A[i * m + j] -
                     0.6f * A[i * m + (j + 1)] + 0.7f * A[(i + 1) * m + (j - 1)] +
                     0.8f * A[(i + 1) * m + j] + 0.9f * A[(i + 1) * m + (j + 1)];
}

// CHECK: region 'convolution_2d' at {{.*}}convolution-2d.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] - 2 schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m] - 2{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [m] - 2{{$}}
// CHECK: acc1 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc3 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc4 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc5 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc6 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc7 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc8 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: acc9 store B 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [m] - 2{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 10

// ORACLE: by hand: convolution-2d-collapse2.c
