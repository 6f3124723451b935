// At -O0 clang marks every function as not to be optimised. The analysis works on copies, so the regions are described all the same.
// RUN: %clang -O0 -g -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %remarks %load %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %clang -O0 -g %x86-offload %remarks %load -c %s -o %t.o 2>&1 | %FileCheck %s

void column(int n, const float *a, float *x) {
#pragma omp target teams distribute parallel for map(to : a[0 : 16 * n]) map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = a[16 * i];
}

// CHECK: target region in 'column'
// CHECK: loop over i: parallel over teams and threads, [n] iterations
// CHECK: load from a (4 bytes): neighbouring threads are 64 bytes apart
// CHECK: store to x (4 bytes): neighbouring threads are 4 bytes apart; coalesced
