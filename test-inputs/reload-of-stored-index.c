// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// An index is stored to slot[i] and loaded again in a loop. Where only floating-point numbers are stored meanwhile, what is loaded is
// what was stored: x moves by 4 or 8 bytes. `chosen` stores one of two indices, by a condition that is the same for all threads.
// In `overwritten`, other integers are stored meanwhile, which may be where the index is: what is loaded is data.
// In `in_turn` another thread may have stored between.
//
// ORACLE: has races: in_turn
// ORACLE: depends on the launch: in_turn
// ARGS: n: 40
// ARGS: x: { type: f32, count: 300 }
// ARGS: slot: { type: i32, count: 40 }
// ARGS: other: { type: i32, count: 300 }

void reloaded(int n, int *slot, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : slot[0 : n], x[0 : 5 * n])
  for (int i = 0; i < n; ++i) {
    slot[i] = i;
    for (int k = 0; k < 3; ++k)
      x[slot[i] + k * n] = 1.0f;
  }
}

void chosen(int n, int twice, int *slot, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : slot[0 : n], x[0 : 5 * n])
  for (int i = 0; i < n; ++i) {
    if (twice)
      slot[i] = 2 * i;
    else
      slot[i] = i + 1;
    x[i + 3 * n] = 2.0f;
    x[slot[i]] = 1.0f;
  }
}

void overwritten(int n, int *slot, int *other) {
#pragma omp target teams distribute parallel for map(tofrom : slot[0 : n], other[0 : 5 * n])
  for (int i = 0; i < n; ++i) {
    slot[i] = i;
    for (int k = 0; k < 3; ++k)
      other[slot[i] + k * n] = 1;
  }
}

void in_turn(int n, int *slot, float *x) {
#pragma omp target teams distribute parallel for map(tofrom : slot[0 : n], x[0 : 5 * n])
  for (int i = 0; i < n; ++i) {
    int at;
#pragma omp critical
    slot[0] = i;
#pragma omp critical
    at = slot[0];
    x[at] = 1.0f;
  }
}

// CHECK: region 'reloaded'
// CHECK: store x 4 bytes
// CHECK: address [x] + 4*[n]*k + 4*i
// CHECK: stride constant 4 class coalesced
// CHECK: region 'chosen'
// CHECK: store x 4 bytes
// CHECK: store x 4 bytes
// CHECK: stride symbolic
// CHECK: region 'overwritten'
// CHECK: store other 4 bytes
// CHECK: stride data-dependent 'index loaded from slot (stride 4 there)' class data-dependent
// CHECK: region 'in_turn'
// CHECK: store x 4 bytes
// CHECK: stride data-dependent '{{.+}}' class data-dependent
