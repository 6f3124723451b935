// REQUIRES: cuda, libomp-device-bc
// Where nothing may be changed, remarks and a report change nothing in the host's object but the embedded device object, and in the device's assembly nothing but
// constants, by which the device side tells the host side how it hands out iterations, and what people read of its code. (A remark flag alone makes clang note
// source locations in the code, so the build without the plugin has the flags too.)
// RUN: %same-code %clang -O0 %nvptx %remarks -c %s 2>&1 | %FileCheck %s
// RUN: env IPDA_TRANSFORM=off %same-code %clang -O2 %nvptx %remarks -c %s 2>&1 | %FileCheck %s
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %same-code %clang -O3 -g %nvptx -c %s
// RUN: %FileCheck %s --check-prefix=REPORT < %t.yaml

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

void column_sums(int n, const float *a, float *sums) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * n]) map(from : sums[0 : n])
  for (int j = 0; j < n; ++j) {
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
      sum += a[i * n + j];
    sums[j] = sum;
  }
}

// CHECK: target region in 'axpy'
// CHECK: target region in 'column_sums'
// REPORT: function: axpy
// REPORT: function: column_sums
