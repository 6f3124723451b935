// RUN: %amdgcn | %FileCheck %s
// RUN: %x86device | %FileCheck %s
//
// Other offload targets than NVIDIA's GPUs: the stride between neighbouring threads is the same, one element of 4 bytes.
// How many sectors a warp touches depends on the target's hardware and is not checked here.

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: region 'axpy' at {{.*}}other-targets.c:[[#@LINE-5]]
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: acc1 load y 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced
