// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// x1 += A*y1 and x2 += A^T*y2 for a square matrix, accumulated in memory.
// Between neighbouring i: A[i*n + j] is 4*n bytes apart, its transposed read A[j*n + i] 4 bytes;
// x1[i], x2[i] 4 bytes; y1[j], y2[j] uniform.

void mvt(int n, const float *A, const float *y1, const float *y2, float *x1, float *x2) {
#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * n], y1[0 : n]) map(tofrom : x1[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x1[i] += A[i * n + j] * y1[j];

#pragma omp target teams distribute parallel for \
    map(to : A[0 : n * n], y2[0 : n]) map(tofrom : x2[0 : n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x2[i] += A[j * n + i] * y2[j];
}

// CHECK: region 'mvt' at {{.*}}mvt.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [n]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride symbolic 4*[n] class symbolic
// CHECK: runs [n]{{$}}
// CHECK: acc1 load y1 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]{{$}}
// CHECK: acc2 load x1 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc3 store x1 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: region 'mvt' at {{.*}}mvt.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential j {{.*}}trips [n]{{$}}
// CHECK: acc0 load A 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc1 load y2 4 bytes
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [n]{{$}}
// CHECK: acc2 load x2 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK: acc3 store x2 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: runs [n]{{$}}
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0

// ORACLE: by hand: mvt.c
