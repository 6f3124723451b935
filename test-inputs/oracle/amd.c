// REQUIRES: libomp-device-bc
// RUN: %compile-amdgcn %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --teams 3 --threads 128 --check | %FileCheck %s
//
// On AMD's CDNA a warp has 64 lanes; the description of the MI210 has sectors of 64 bytes. Of the threads 70 have an iteration: a warp
// with 64 lanes touches 4 sectors, one with 6 lanes touches one.
// ARGS: n: 70

void axpy(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += 2 * x[i];
}

void row_sums(int n, const float *a, float *sums) {
#pragma omp target teams distribute map(to : a[0 : n * n]) map(from : sums[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < n; ++j)
      sum += a[i * n + j];
    sums[i] = sum;
  }
}

// CHECK: kernel axpy:11, 3 teams of 128 threads
// CHECK: 13:17 load acc{{[0-9]+}} 4 2 35 2.50
// CHECK: accesses of warps: {{[0-9]+}} as predicted, 0 not
// CHECK: kernel axpy:11: computes the same in 12 launches
// CHECK: kernel row_sums:17, 3 teams of 128 threads
// CHECK: accesses of warps: {{[0-9]+}} as predicted, 0 not
// CHECK: kernel row_sums:17: computes the same in 12 launches
