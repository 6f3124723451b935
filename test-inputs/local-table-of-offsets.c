// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Offsets in a small array of each thread, which is read with a variable index and so stays in memory.
// listed: constants; in each iteration of k all threads use one of them, so x moves by 4 bytes.
// computed: filled element by element from i, row and column swapped by k: x moves by 4 * [n] bytes for k = 1, by 4 for k = 0.
// by_lane: each thread picks the element of its own number: 0, 3, 7, 1 times 4 bytes, over and over.
// filled: filled by a loop, off[k] = i + k * n: x moves by 4 bytes.
// zeroed: all elements but one are 0.
// downwards: as filled, by a loop from the last element to the first; read at a place that only the array's size bounds.
// either: one of two arrays that were both filled, by a condition: neither's content is what is read.
// The rest must not be believed: the fill may not have come by all elements (partly), is repeated with other values for some (patched, in
// which the patch is at a place that differs between threads), or the elements move (sorted).
//
// ARGS: n: 40
// ARGS: m: 3
// ARGS: x: { type: f32, count: 2000 }
// ARGS: keys: { type: i32, count: 160, fill: { modulo: 37 } }

void listed(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[4] = {0, 1, 5, 9};
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k)
      sum += x[i + off[k]];
    y[i] = sum;
  }
}

void computed(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[2];
    off[0] = i;
    off[1] = i * n;
    float sum = 0.0f;
    for (int k = 0; k < 2; ++k)
      sum += x[off[k]];
    y[i] = sum;
  }
}

void by_lane(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 8]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[4] = {0, 3, 7, 1};
    y[i] = x[off[i % 4]];
  }
}

void filled(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 4 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[4];
    for (int k = 0; k < 4; ++k)
      off[k] = i + k * n;
    float sum = 0.0f;
    for (int k = 3; k >= 0; --k)
      sum += x[off[k]];
    y[i] = sum;
  }
}

void zeroed(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[8] = {0};
    off[m] = 5;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k)
      sum += x[off[k]];
    y[i] = sum;
  }
}

void partly(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 8 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[8];
    for (int k = 0; k < 8; ++k)
      off[k] = n;
    for (int k = 0; k < m; ++k)
      off[k] = i + k * n;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k)
      sum += x[off[k]];
    y[i] = sum;
  }
}

void patched(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 4 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[4];
    for (int k = 0; k < 4; ++k)
      off[k] = i + k * n;
    off[i % 4] = 0;
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k)
      sum += x[off[k]];
    y[i] = sum;
  }
}

void sorted(int n, const int *keys, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : keys[0 : 4 * n], x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int key[4];
    for (int k = 0; k < 4; ++k)
      key[k] = keys[4 * i + k];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3 - a; ++b)
        if (key[b] > key[b + 1]) {
          int t = key[b];
          key[b] = key[b + 1];
          key[b + 1] = t;
        }
    y[i] = x[key[1]];
  }
}

void downwards(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 8 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int off[8];
    for (int k = 7; k >= 0; --k)
      off[k] = 2 * i + k;
    y[i] = x[off[m]];
  }
}

void either(int n, int m, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 8 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int near[4], far[4] = {0};
    for (int k = 0; k < 4; ++k)
      near[k] = i + k;
    int *off = i & 1 ? near : far;
    y[i] = x[off[m]];
  }
}

// CHECK: region 'listed'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'computed'
// CHECK: load x 4 bytes
// CHECK: stride symbolic
// CHECK: region 'by_lane'
// CHECK: load x 4 bytes
// CHECK: stride vector 0 12 28 4 0 12 28 4
// CHECK: region 'filled'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'zeroed'
// CHECK: load x 4 bytes
// CHECK: stride constant 0 class uniform
// CHECK: region 'partly'
// CHECK: load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK: region 'patched'
// CHECK: load x 4 bytes
// CHECK: stride per-lane {{.*}} class symbolic
// CHECK: region 'sorted'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from keys' class data-dependent
// CHECK: region 'downwards'
// CHECK: load x 4 bytes
// CHECK: stride constant 8 class strided
// CHECK: region 'either'
// CHECK: load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
