// REQUIRES: libomp-device-bc
// RUN: %compile-device %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// Variables that live on the device: one is read, one is counted up, and both can be given in the description.
// ARGS: globals: { offset: 7, table: { type: i32, count: 8, fill: index } }

#pragma omp declare target
int offset = 3;
int table[8];
int calls;
#pragma omp end declare target

void look_up(int n, int *out) {
#pragma omp target teams distribute parallel for map(from : out[0 : n])
  for (int i = 0; i < n; ++i) {
    out[i] = table[i % 8] + offset;
#pragma omp atomic
    calls++;
  }
}

// CHECK: 18:14 load acc0 4 4 25 1 1..2 yes
// CHECK: 18:29 load acc1 4 4 25 1 1 yes
// CHECK: 20:5 atomic acc3 4 4 25 1 1 yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
