// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// The work is done by a function of this file: its loop and its accesses belong to the region. The coefficients are
// uniform, x[i] and y[i] move by 4 bytes.

static float horner(const float *c, int terms, float x) {
  float value = 0.0f;
  for (int k = 0; k < terms; ++k)
    value = value * x + c[k];
  return value;
}

void evaluate(int n, int terms, const float *c, const float *x, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : c[0 : terms], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = horner(c, terms, x[i]);
}

// CHECK: region 'evaluate' at {{.*}}helper-call.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: loop1 in loop0 sequential k {{.*}}trips [terms]{{$}}
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load c 4 bytes in loop1 at {{.*}}helper-call.c:10:{{[0-9]+}} called-from {{.*}}helper-call.c:18:12{{$}}
// CHECK: stride constant 0 class uniform sectors 1..1 lines 1..1
// CHECK: runs [terms]{{$}}
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
