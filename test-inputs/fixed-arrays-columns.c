// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// fixed-arrays.c transposed: column j per thread, so A[i][j] and y[j] move by 4 bytes and x[i] is uniform.

float A[512][256], x[512], y[256];

void vector_times(void) {
#pragma omp target teams distribute parallel for map(to : A, x) map(tofrom : y)
  for (int j = 0; j < 256; ++j)
    for (int i = 0; i < 512; ++i)
      y[j] += x[i] * A[i][j];
}

// CHECK: region 'vector_times' at {{.*}}fixed-arrays-columns.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for j {{.*}}trips 256 schedule
// CHECK: loop1 in loop0 sequential i {{.*}}trips 512{{$}}
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs 512{{$}}
// CHECK: acc1 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 512{{$}}
// CHECK: acc2 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 512{{$}}
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 512{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
