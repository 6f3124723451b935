// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// y = L*x for a lower triangular matrix stored as a square: L[i*n + j] is 4*n bytes apart, x[j] uniform, y[i] 4 bytes.
// The inner loop runs i + 1 times, so lanes leave it one after the other: at its iteration j those with i >= j are left.  triangular-from-diagonal.c is the upper twin, whose inner start moves with i.

void lower_times_vector(int n, const float *L, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : L[0 : n * n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int j = 0; j <= i; ++j)
      sum += L[i * n + j] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'lower_times_vector' at {{.*}}triangular.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips i + 1{{$}}
// CHECK: acc0 load L 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs i + 1 active symbolic not {{\[\[}}lane number] + 32*[warp number] < j]{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs i + 1 active symbolic not {{\[\[}}lane number] + 32*[warp number] < j]{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: loop-end in loop1 {{.*}}symbolic not {{\[\[}}lane number] + 32*[warp number] < j]{{$}}
// CHECK: total sectors {{.*}}without-count 1
