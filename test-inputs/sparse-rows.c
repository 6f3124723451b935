// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = A*x with A stored by compressed rows, one row per thread. Row starts move by 4 bytes; where a row's elements lie is
// decided by the starts, and where x is read by the column numbers.  sparse-padded.c is the twin with padded rows.

void times_vector(int n, const int *start, const int *column, const float *value, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : start[0 : n + 1], column[0 : start[n]], value[0 : start[n]], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = start[i]; k < start[i + 1]; ++k)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

// CHECK: region 'times_vector' at {{.*}}sparse-rows.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips {{.*\[start\].*}}{{$}}
// CHECK: acc0 load start 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load start 4 bytes
// CHECK: stride constant 4 class coalesced sectors 5..5 lines 2..2
// CHECK: acc2 load value 4 bytes
// CHECK: stride data-dependent 'index loaded from start (stride 4 there)' class data-dependent
// CHECK: acc3 load column 4 bytes
// CHECK: stride data-dependent 'index loaded from start (stride 4 there)' class data-dependent
// CHECK: acc4 load x 4 bytes
// CHECK: stride data-dependent 'index loaded from column{{.*}}' class data-dependent
// CHECK: acc5 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 3
