// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// y = A x with A in compressed rows. A thread a row: where a row begins is loaded from ptr, so val[k] and col[k] are data-dependent
// through ptr, which itself moves by 4 bytes, and x[col[k]] through col. The number of iterations is ptr[i + 1] - ptr[i].
// A team of threads a row (32 neighbouring threads, k = ptr[row] + lane): val[k] and col[k] move by 4 bytes; x stays data-dependent.
// Rows of one length, without ptr: no data is needed to say that val moves by 4 * [width] bytes.
//
// ARGS: n: 33
// ARGS: width: 3
// ARGS: ptr: { type: i32, values: [0, 3, 3, 5, 9, 9, 10, 14, 20, 21, 24, 25, 30, 31, 33, 36, 40, 41, 41, 44, 50, 52, 55, 57, 58, 60, 61, 63, 64, 66, 70, 71, 74, 78] }
// ARGS: col: { type: i32, count: 128, fill: { modulo: 33 } }

void thread_a_row(int n, const int *ptr, const int *col, const float *val, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : ptr[0 : n + 1], col[0 : 78], val[0 : 78], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = ptr[i]; k < ptr[i + 1]; ++k)
      sum += val[k] * x[col[k]];
    y[i] = sum;
  }
}

void warp_a_row(int n, const int *ptr, const int *col, const float *val, const float *x, float *y) {
#pragma omp target teams distribute parallel for collapse(2) \
    map(to : ptr[0 : n + 1], col[0 : 78], val[0 : 78], x[0 : n]) map(tofrom : y[0 : 32 * n])
  for (int i = 0; i < n; ++i)
    for (int lane = 0; lane < 32; ++lane) {
      float sum = 0.0f;
      for (int k = ptr[i] + lane; k < ptr[i + 1]; k += 32)
        sum += val[k] * x[col[k]];
      y[32 * i + lane] = sum;
    }
}

void rows_of_one_length(int n, int width, const int *col, const float *val, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : col[0 : n * width], val[0 : n * width], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = i * width; k < (i + 1) * width; ++k)
      sum += val[k] * x[col[k]];
    y[i] = sum;
  }
}

// CHECK: region 'thread_a_row'
// CHECK: loop1 in loop0 sequential k {{.*}} trips load{{.*}}([ptr] + 4*i + 4) - load{{.*}}([ptr] + 4*i)
// CHECK: load ptr 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load val 4 bytes
// CHECK: stride data-dependent 'index loaded from ptr (stride 4 there)' class data-dependent
// CHECK: load col 4 bytes
// CHECK: stride data-dependent 'index loaded from ptr (stride 4 there)' class data-dependent
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from col{{.*}}' class data-dependent
// CHECK: store y 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'warp_a_row'
// CHECK: load val 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load col 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from col (stride 4 there)' class data-dependent
// CHECK: region 'rows_of_one_length'
// CHECK: load val 4 bytes
// CHECK: stride symbolic 4*[width]
