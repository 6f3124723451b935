// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// An offset that is kept as a floating-point number: read from one place it is the same for all threads, and x moves by 4 bytes. In the
// twin each thread reads an offset of its own; in `rewritten` the place changes from iteration to iteration, for all threads alike.
//
// ARGS: n: 40
// ARGS: f: { type: f32, count: 40, fill: { modulo: 5 } }
// ARGS: x: { type: f32, count: 100 }
// ARGS: shift: { type: f32, values: [3, 1, 4, 1, 5] }

void one_offset(int n, const float *f, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : f[0 : 1], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i + (int)(f[0] * 2.0f)];
}

void own_offset(int n, const float *f, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : f[0 : n], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[i + (int)(f[i] * 2.0f)];
}

void rewritten(int n, const float *shift, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : shift[0 : 5], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < 5; ++k)
      sum += x[i + (int)shift[k]];
    y[i] = sum;
  }
}

// CHECK: region 'one_offset'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'own_offset'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from f' class data-dependent
// CHECK: region 'rewritten'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
