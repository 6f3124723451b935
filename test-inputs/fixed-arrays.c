// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Arrays with constant extents. Row i per thread: A[i][j] moves by a row of 256 floats, 1024 bytes, so every lane has a
// sector and a line of its own; x[j] is uniform.  fixed-arrays-columns.c is the twin along a row.

float A[512][256], x[256], y[512];

void times_vector(void) {
#pragma omp target teams distribute parallel for map(to : A, x) map(tofrom : y)
  for (int i = 0; i < 512; ++i)
    for (int j = 0; j < 256; ++j)
      y[i] += A[i][j] * x[j];
}

// CHECK: region 'times_vector' at {{.*}}fixed-arrays.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips 512 schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips 256{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 1024 class uncoalesced sectors 32..32 lines 32..32
// CHECK: runs 256{{$}}
// CHECK: acc1 load x 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs 256{{$}}
// CHECK: acc2 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 256{{$}}
// CHECK: acc3 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs 256{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
