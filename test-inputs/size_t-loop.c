// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// 64-bit unsigned arithmetic wraps only where the address itself does, so A[i*m + j] moves by exactly 4*m bytes and
// sums[i] by 4.

typedef __SIZE_TYPE__ size_t;

void row_sums(size_t n, size_t m, const float *A, float *sums) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : sums[0 : n])
  for (size_t i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (size_t j = 0; j < m; ++j)
      sum += A[i * m + j];
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}size_t-loop.c:{{[0-9]+}}
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
