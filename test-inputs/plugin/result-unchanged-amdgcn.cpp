// AMD's GPUs: the device code is the same with the plugin, also when it writes remarks and a report.
// RUN: %same-result %clang++ -O2 -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %s
// RUN: %same-result %clang++ -O2 -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -foffload-lto -c %s
// RUN: env IPDA_REPORT=%t.O0.yaml %same-result %clang++ -O0 %remarks -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %s
// RUN: env IPDA_REPORT=%t.O1.yaml %same-result %clang++ -O1 %remarks -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %s
// RUN: env IPDA_REPORT=%t.O3.yaml %same-result %clang++ -O3 -g %remarks -fopenmp --offload-arch=gfx90a -nogpulib --offload-device-only -S %s
// RUN: cat %t.O0.yaml %t.O1.yaml %t.O3.yaml | %FileCheck %s

template <typename T> void axpy(int n, T a, const T *x, T *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

template void axpy(int, float, const float *, float *);
template void axpy(int, double, const double *, double *);

// CHECK-COUNT-6: function: axpy
