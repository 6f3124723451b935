// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// Each thread copies a record of 64 bytes: both sides move by 64 bytes.

void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes);

void copy_records(int n, const float *from, float *to) {
#pragma omp target teams distribute parallel for map(to : from[0 : 16 * n]) map(from : to[0 : 16 * n])
  for (int i = 0; i < n; ++i)
    memcpy(&to[16 * i], &from[16 * i], 64);
}

// CHECK: region 'copy_records' at {{.*}}memcpy-in-loop.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK-DAG: copy-from from 64 bytes
// CHECK-DAG: copy-to to 64 bytes
// CHECK: stride constant 64
