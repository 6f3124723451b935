// A loop with a bound of 256 that a condition ends before is unrolled: one run of its finished body has four iterations, each with its test. Half of the bound, 128
// iterations, are 32 runs of the body. (They were taken for 128 runs, so that such kernels took four times too long.) The report says so by the part of runs that
// happens where the source's iterations are counted.
// REQUIRES: cuda
// RUN: env IPDA_TRANSFORM=off IPDA_REPORT=%t.yaml %clang -O3 -g %nvptx %load -c %s -o %t.o
// RUN: %FileCheck %s < %t.yaml
// CHECK: resources:
// CHECK: depth: 3
// CHECK: unknown: 'at most 64: the loop can also be left elsewhere'
// CHECK-NEXT: chance: 0.25
#define MOST 256
void escapes(int *out, int width, int height, float x0, float y0, float dx, float dy) {
#pragma omp target teams distribute parallel for collapse(2) map(from : out[0 : width * height])
  for (int j = 0; j < height; j++)
    for (int i = 0; i < width; i++) {
      float real = x0 + i * dx, imaginary = y0 + j * dy, r = 0.0f, m = 0.0f;
      int k = 0;
      while (k < MOST && r * r + m * m < 4.0f) {
        float next = r * r - m * m + real;
        m = 2.0f * r * m + imaginary;
        r = next;
        k++;
      }
      out[j * width + i] = k;
    }
}
