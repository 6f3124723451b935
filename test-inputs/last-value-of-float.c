// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Each thread leaves its loop after a number of iterations of its own, so the last value of `at` differs between threads, although in
// each iteration all threads that are still in the loop have the same one. The twin leaves after m iterations in all threads.
//
// ARGS: n: 40
// ARGS: m: 7
// ARGS: rounds: { type: i32, count: 40, fill: { modulo: 9 } }

void own_rounds(int n, const int *rounds, const float *table, float *out) {
#pragma omp target teams distribute parallel for map(to : rounds[0 : n], table[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i) {
    float at;
    int k = 0;
    do {
      at = (float)k;
      ++k;
    } while (k < rounds[i]);
    out[i] = table[(int)at];
  }
}

void same_rounds(int n, int m, const float *table, float *out) {
#pragma omp target teams distribute parallel for map(to : table[0 : n]) map(from : out[0 : n])
  for (int i = 0; i < n; ++i) {
    int at;
    int k = 0;
    do {
      at = k;
      ++k;
    } while (k < m);
    out[i] = table[at];
  }
}

// CHECK: region 'own_rounds'
// CHECK: load table 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from rounds' class data-dependent
// CHECK: region 'same_rounds'
// CHECK: load table 4 bytes
// CHECK: stride constant 0 class uniform
