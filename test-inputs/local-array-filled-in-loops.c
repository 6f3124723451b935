// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Arrays of each thread that loops fill and other loops read.
// nested: filled anew in each iteration r: a[k] = i + k * r, so x moves by 4 bytes, and at a[3 - k] * r by 4 * r bytes.
// upto: of an array only the first q + 1 elements are filled, and those are read: 4 bytes. Behind a loop that is tested at its end nothing
// shows that k stays below q + 1.
// twice: the two middle elements are filled again with 2 * i: element 2 moves by 8 bytes; nothing is said of the first fill's, which
// two loops make together.
// swapped: the elements change places while they are read.
//
// ARGS: n: 40
// ARGS: q: 2
// ARGS: x: { type: f32, count: 4000 }

void nested(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 16 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int r = 0; r < 3; ++r) {
      int a[4];
      for (int k = 0; k < 4; ++k)
        a[k] = i + k * r;
      for (int k = 0; k < 4; ++k)
        sum += x[a[k]] + x[a[3 - k] * r];
    }
    y[i] = sum;
  }
}

void upto(int n, int q, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 16 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int a[8];
    for (int k = 0; k <= q; ++k)
      a[k] = i + 2 * k;
    float sum = 0.0f;
    for (int k = 0; k < q; ++k)
      sum += x[a[k + 1]];
    int k = 0;
    do {
      sum += x[a[k]];
      ++k;
    } while (k < q);
    y[i] = sum;
  }
}

void twice(int n, int q, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 16 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int a[4];
    for (int r = 0; r < 2; ++r)
      for (int k = 0; k < 4; ++k)
        a[k] = i + k * 3 + r * 5;
    for (int k = 1; k < 3; ++k)
      a[k] = 2 * i;
    y[i] = x[a[2]] + x[a[q & 3]];
  }
}

void swapped(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 16 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int a[2] = {i, 2 * i};
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k) {
      sum += x[a[k & 1]];
      int t = a[0];
      a[0] = a[1];
      a[1] = t;
    }
    y[i] = sum;
  }
}

// CHECK: region 'nested'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: stride symbolic 4*r class symbolic
// CHECK: region 'upto'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: stride {{unknown|constant 4}}
// CHECK: region 'twice'
// CHECK: load x 4 bytes
// CHECK: stride constant 8 class strided
// CHECK: load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
// CHECK: region 'swapped'
// CHECK: load x 4 bytes
// CHECK: stride unknown '{{.+}}' class unknown
