// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// 64-bit signed loop variables and sizes: A[i*m + j] moves by 4*m bytes, sums[i] by 4.

void row_sums(long n, long m, const float *A, float *sums) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : sums[0 : n])
  for (long i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (long j = 0; j < m; ++j)
      sum += A[i * m + j];
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}long-loop.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: runs [m]{{$}}
// CHECK: acc1 store sums 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
