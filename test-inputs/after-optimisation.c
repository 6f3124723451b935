// RUN: %optimise-device %s | %analyse | %FileCheck %s
//
// Behind the device's pipeline the same kernels have other code: loops are tested at their ends and unrolled by two, captured variables are
// read out of their carriers with masks, and counters run beside each other. What lanes are apart is the same: a row for A, nothing for x,
// an element for y; and in the second kernel an element for A.

void rows(int n, int m, const float *restrict A, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], x[0 : m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += A[i * m + j] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'rows'
// CHECK: loop1 in loop0 sequential j {{.*}}trips floor([m] / 2){{$}}
// CHECK: load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: load x 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: load A 4 bytes
// CHECK: stride symbolic 4*[m] class symbolic
// CHECK: load x 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK-NOT: stride unknown
// CHECK: store y 4 bytes
// CHECK: stride constant 4 class coalesced

void columns(int n, int m, const float *restrict A, const float *restrict x, float *restrict y) {
#pragma omp target teams distribute parallel for map(to : A[0 : n * m], x[0 : m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int j = 0; j < m; ++j)
      sum += A[j * n + i] * x[j];
    y[i] = sum;
  }
}

// CHECK: region 'columns'
// CHECK: load A 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK-NOT: stride unknown
// CHECK: store y 4 bytes
// CHECK: stride constant 4 class coalesced
