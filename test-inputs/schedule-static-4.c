// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Blocks of 4 iterations per thread: neighbouring threads are 4 iterations apart, 16 bytes. A warp spans 500 bytes:
// 16 sectors for 32 elements.  vector-add.c is the twin with single iterations.

void vector_add(int n, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for schedule(static, 4) \
    map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}

// CHECK: region 'vector_add' at {{.*}}schedule-static-4.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load a 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc1 load b 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK: acc2 store c 4 bytes
// CHECK: stride constant 16 class strided sectors 16..17 lines 4..5
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
