// The variables' places in the debug information are not touched: the analysis works on copies, and their assignment markers are not
// the original's.
// RUN: %same-result %clang -O2 -g %remarks -fopenmp --offload-arch=sm_90 -nogpulib --offload-host-only -S %s 2>&1 | %FileCheck %s
// RUN: %same-result %clang -O2 -g %remarks -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %s 2>&1 | %FileCheck %s
// RUN: %same-result %clang -O2 -g %remarks -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu --offload-device-only -S %s 2>&1 | %FileCheck %s

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// CHECK: target region in 'axpy'
