// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A row walked by a pointer instead of an index: p starts at A + i*m and moves by one element in each step, in all lanes alike.
// Neighbouring threads are 4*m bytes apart.

void row_sums(int n, int m, const float *A, float *sums) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    const float *p = A + i * m;
    float sum = 0.0f;
    for (int j = 0; j < m; ++j)
      sum += *p++;
    sums[i] = sum;
  }
}

// CHECK: region 'row_sums' at {{.*}}pointer-walk.c:{{[0-9]+}}
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
