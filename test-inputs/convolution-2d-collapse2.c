// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The convolution of convolution-2d.c with fused loops: neighbouring threads compute neighbouring pixels.
// Inside a row everything is 4 bytes apart. A row of the fused index has m - 2 lanes; from its last pixel (i, m - 2)
// to the next one (i + 1, 1) the image index grows by m - (m - 3) = 3 elements: 12 bytes.

void convolution_2d(int n, int m, const float *A, float *B) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : A[0 : n * m]) map(from : B[0 : n * m])
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      B[i * m + j] = 0.1f * A[(i - 1) * m + (j - 1)] + 0.2f * A[(i - 1) * m + j] +
                     0.3f * A[(i - 1) * m + (j + 1)] - 0.4f * A[i * m + (j - 1)] + 0.5f * A[i * m + j] -
                     0.6f * A[i * m + (j + 1)] + 0.7f * A[(i + 1) * m + (j - 1)] +
                     0.8f * A[(i + 1) * m + j] + 0.9f * A[(i + 1) * m + (j + 1)];
}

// CHECK: region 'convolution_2d' at {{.*}}convolution-2d-collapse2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for {{.*}}trips 
// CHECK: acc0 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc1 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc2 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc3 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc4 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc5 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc6 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc7 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc8 load A 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK: acc9 store B 4 bytes
// CHECK: stride row-ends 4 at row ends 12 every [m] - 2 lanes class symbolic
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 10
