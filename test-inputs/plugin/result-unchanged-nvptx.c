// REQUIRES: cuda, libomp-device-bc
// Where nothing may be changed, and nobody asks for remarks or a report, the object of host and device is the same, byte for byte. At -O0 ptxas writes objects
// that differ from run to run, so the device's assembly is compared.
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O1 %nvptx -c %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O2 %nvptx -c %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O2 %nvptx -c %S/../vector-add.c
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O3 -g %nvptx -c %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O2 -foffload-lto %nvptx -c %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang++ -O2 %nvptx -c -x c++ %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O0 %nvptx --offload-device-only -S %s
// RUN: env IPDA_TRANSFORM=off %same-result %clang -O0 %nvptx --offload-host-only -c %s

void axpy(int n, float a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// Generic mode: code outside of the parallel part.
void row_sums(int rows, int columns, const float *a, float *sums) {
#pragma omp target teams distribute map(to : a[0 : rows * columns]) map(from : sums[0 : rows])
  for (int i = 0; i < rows; ++i) {
    float sum = 0.0f;
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < columns; ++j)
      sum += a[i * columns + j];
    sums[i] = sum;
  }
}

void transpose(int n, const float *a, float *b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n]) map(from : b[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      b[j * n + i] = a[i * n + j];
}
