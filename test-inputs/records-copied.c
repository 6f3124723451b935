// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Records that are copied to local variables and read there with a variable index, so that they stay in memory.
// offsets_of_all: every thread copies one record; x is read at the offset of the iteration, the same for all threads, so it moves by 4.
// own_offsets: thread i copies record i: what it reads x with is data, 12 bytes apart.
// in_part: of the copy only elements 2..5 come from memory; element 1 is what the loop put there, so x moves by 4.
//
// ARGS: n: 40
// ARGS: x: { type: f32, count: 400 }
// ARGS: all: { type: i32, values: [5, 1, 3] }
// ARGS: own: { type: i32, count: 120, fill: { modulo: 37 } }

void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes);

struct offsets {
  int of[3];
};

void offsets_of_all(int n, const struct offsets *all, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : all[0 : 1], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    struct offsets copy = *all;
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
      sum += x[i + copy.of[k]];
    y[i] = sum;
  }
}

void own_offsets(int n, const struct offsets *own, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : own[0 : n], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    struct offsets copy = own[i];
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
      sum += x[copy.of[k]];
    y[i] = sum;
  }
}

void in_part(int n, int k, const int *own, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : own[0 : 4 * n], x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int at[8];
    for (int j = 0; j < 8; ++j)
      at[j] = i;
    memcpy(at + 2, own + i, 16);
    y[i] = x[at[1]] + x[at[3]] + x[at[k & 7]];
  }
}

// CHECK: region 'offsets_of_all'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'own_offsets'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from own (stride 12 there)' class data-dependent
// CHECK: region 'in_part'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from own (stride 4 there)' class data-dependent
// CHECK: load x 4 bytes
// CHECK: stride data-dependent '{{.+}}' class data-dependent
