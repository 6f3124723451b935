// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Adds every other element: 8 bytes between neighbouring threads, of which 4 are used. A warp spans 252 bytes:
// 8 sectors aligned and 9 otherwise, where 4 would do.

void vector_add(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for \
    map(to : a[0 : 2 * n], b[0 : 2 * n]) map(from : c[0 : 2 * n])
  for (int i = 0; i < n; ++i)
    c[2 * i] = a[2 * i] + b[2 * i];
}

// CHECK: region 'vector_add' at {{.*}}vector-add-stride2.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 8 class strided sectors 8..9 lines 2..3
// CHECK: acc1 load b 4 bytes
// CHECK: stride constant 8 class strided sectors 8..9 lines 2..3
// CHECK: acc2 store c 4 bytes
// CHECK: stride constant 8 class strided sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
