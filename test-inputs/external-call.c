// RUN: %device | %FileCheck %s --check-prefixes=CHECK,DEVICE
// RUN: %host | %FileCheck %s
//
// A call to a function of another file. Its result as a value changes nothing: x[i] and y[i] move by 4 bytes. Its result as
// an index leaves table[slot(i)] unknown.
//
// ORACLE: fails: the call of `weight`

float weight(int i);
int slot(int i);

void apply(int n, const float *x, const float *table, float *y) {
#pragma omp target teams distribute parallel for \
    map(to : x[0 : n], table[0 : 256]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = weight(i) * x[i] + table[slot(i)];
}

// CHECK: region 'apply' at {{.*}}external-call.c:{{[0-9]+}}
// DEVICE-SAME: (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load table 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 1
// CHECK: reject UnknownCall
