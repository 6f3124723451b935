// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The inner loop's counter after the loop: it has run to i, so z[j] moves by 4 bytes, while x[j] inside the loop is uniform.

void prefix(int n, const float *x, const float *z, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n], z[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    int j = 0;
    for (; j < i; ++j)
      sum += x[j];
    y[i] = sum * z[j];
  }
}

// CHECK: region 'prefix' at {{.*}}counter-after-loop.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips i{{$}}
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs i active symbolic not {{\[\[}}lane number] + 32*[warp number] <= j]{{$}}
// CHECK: acc1 load z 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
