// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = A*x with rows padded to the same length and stored by columns: value[k*n + i] and column[k*n + i] move by 4 bytes;
// only x remains decided by the data.

void times_vector(int n, int width, const int *column, const float *value, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : column[0 : n * width], value[0 : n * width], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < width; ++k)
      sum += value[k * n + i] * x[column[k * n + i]];
    y[i] = sum;
  }
}

// CHECK: region 'times_vector' at {{.*}}sparse-padded.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [width]{{$}}
// CHECK: acc0 load value 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [width]{{$}}
// CHECK: acc1 load column 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [width]{{$}}
// CHECK: acc2 load x 4 bytes
// CHECK: stride data-dependent 'index loaded from column (stride 4 there)' class data-dependent
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
