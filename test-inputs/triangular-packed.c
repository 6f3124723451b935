// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = L*x for a packed lower triangle: row i starts at i*(i + 1)/2, so neighbouring rows are i + 1 elements apart and
// no single stride exists. With i = 32w + t, lane t is ((32w + t)(32w + t + 1) - 32w(32w + 1))/2 = 32wt + t(t + 1)/2 elements from lane 0.
// It must not be reported as constant, nor as coalesced. x and y are as in triangular.c.

void packed_times_vector(int n, const float *L, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : L[0 : n * (n + 1) / 2], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j <= i; ++j)
      sum += L[i * (i + 1) / 2 + j] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'packed_times_vector' at {{.*}}triangular-packed.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips i + 1{{$}}
// CHECK: acc0 load L 4 bytes
// CHECK: stride per-lane 128*[lane number]*[warp number] + 4*floor(([lane number] + [lane number]^2) / 2) class symbolic{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
