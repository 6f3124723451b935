// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = U*x for an upper triangular matrix stored as a square. The inner loop starts at j = i, and a warp's lanes are at
// the same inner iteration k, j = i + k. So x[j] is not uniform: it is 4 bytes apart. U[i*n + j] is 4*n + 4 apart.

void upper_times_vector(int n, const float *U, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : U[0 : n * n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = i; j < n; ++j)
      sum += U[i * n + j] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'upper_times_vector' at {{.*}}triangular-from-diagonal.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips 
// CHECK: acc0 load U 4 bytes
// CHECK: stride symbolic 4*[n] + 4 class symbolic
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
