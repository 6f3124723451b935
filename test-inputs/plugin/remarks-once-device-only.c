// Without a host compilation the device side speaks, the first device only.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -S %remarks %load %s 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fopenmp --offload-arch=sm_80,sm_90 -nogpulib --offload-device-only -S %remarks %load %s 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fopenmp --offload-arch=sm_90 --offload-arch=gfx90a -nogpulib --offload-device-only -S %remarks %load %s 2>&1 | %FileCheck %s
//
// The last of several such flags counts, also where it stands in a response file.
// RUN: %clang -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only --offload-device-only -S %remarks %load %s 2>&1 | %FileCheck %s
// RUN: %clang -O2 -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only --offload-host-only -S %remarks %load %s 2>&1 | %FileCheck %s
// RUN: echo "-fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only" > flags
// RUN: %clang -O2 @flags -S %remarks %load %s 2>&1 | %FileCheck %s

void clear(int n, float *x) {
#pragma omp target teams distribute parallel for map(from : x[0 : n])
  for (int i = 0; i < n; ++i)
    x[i] = 0.0f;
}

// CHECK-COUNT-1: target region in 'clear'
// CHECK-NOT: target region in
