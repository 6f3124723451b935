// Conversions between integers and floats of 32 bits are made by the units of special functions, 16 in a cycle (NVIDIA, Nsight Compute, Kernel Profiling Guide,
// Pipelines, XU). 64 of them for each of 2^20 numbers, 2^26, take 2^26 / (68 * 16 * 1.44 GHz) = 43 us on an RTX 3080 with its base clock; there are a few more. From and to
// 64 bits the device makes 2 in a cycle, as its few units for doubles have a part in them: 2^26 / (68 * 2 * 1.44 GHz) = 343 us. (All conversions took as long.)
// `smaller` compares, and chooses the smaller one, on the units of integers; a change of sign and an absolute value are parts of other instructions, as are extensions of
// what is loaded and of numbers by which addresses go on: one conversion of a byte, one comparison.
// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident --region narrow -D n=1048576 --details | %FileCheck --check-prefix=NARROW %s
// RUN: %ipda predict %t.yaml --gpu rtx3080 --clock base --cpu epyc-milan --resident --region wide -D n=1048576 --details | %FileCheck --check-prefix=WIDE %s
// RUN: %FileCheck %s < %t.yaml

// NARROW: special units 4{{[3-6](\.[0-9]+)?}} us
void narrow(float *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++) {
    float x = a[i];
#pragma clang loop unroll(disable)
    for (int j = 0; j < 32; j++)
      x = (float)((int)x ^ j);
    a[i] = x;
  }
}

// WIDE: float64 units 3{{[4-6][0-9](\.[0-9]+)?}} us
void wide(double *a, int n) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
  for (int i = 0; i < n; i++) {
    double x = a[i];
#pragma clang loop unroll(disable)
    for (int j = 0; j < 32; j++)
      x = (double)((int)x ^ j);
    a[i] = x;
  }
}

// CHECK: - function: smaller
// CHECK: resources:
// CHECK: load-global: 2.0
// CHECK-NEXT: store-global: 1.0
// CHECK-NEXT: float32: 1.0
// CHECK-NEXT: convert: 1.0
void smaller(const unsigned char *a, const float *b, float *c, int n) {
#pragma omp target teams distribute parallel for map(to : a[0 : n], b[0 : n]) map(from : c[0 : n])
  for (int i = 0; i < n; i++) {
    float x = -(float)a[i] * __builtin_fabsf(b[i]);
    c[i] = x < 2.0f ? x : 2.0f;
  }
}
