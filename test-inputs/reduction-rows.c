// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Largest row sum of an n x m matrix, one row per thread: neighbouring threads read 4*m bytes apart.

float largest_row_sum(int n, int m, const float *A) {
  float largest = 0.0f;
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(tofrom : largest) \
    reduction(max : largest)
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j];
    if (sum > largest)
      largest = sum;
  }
  return largest;
}

// CHECK: region 'largest_row_sum' at {{.*}}reduction-rows.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [m]{{$}}
// CHECK: load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
