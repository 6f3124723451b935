// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Offsets in tables that are never written. by_lane: thread i reads entry i % 4 of 0, 3, 7, 1. on_a_line: entry k of 1, 3, 5, .. is
// 2 * k + 1, so x moves by 8 bytes in a row of 8 threads. of_records: the second field of record i % 4. by_iteration: all threads use one
// entry at a time, and x moves by 4 bytes. long_table: more entries than are followed: it depends on the table. The twin `written`
// changes its table: what it reads is data.
//
// ARGS: n: 40
// ARGS: x: { type: f32, count: 300 }

void by_lane(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const int table[4] = {0, 3, 7, 1};
    y[i] = x[i + table[i % 4]];
  }
}

void on_a_line(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const short table[8] = {1, 3, 5, 7, 9, 11, 13, 15};
    y[i] = x[table[i & 7]];
  }
}

void of_records(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const struct {
      short weight;
      int offset;
    } table[4] = {{9, 2}, {9, 4}, {9, 4}, {9, 0}};
    y[i] = x[table[i % 4].offset];
  }
}

void by_iteration(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : 2 * n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const int table[4] = {0, 3, 7, 1};
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k)
      sum += x[i + table[k]];
    y[i] = sum;
  }
}

void long_table(int n, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    static const int table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
    y[i] = x[table[i % 16]];
  }
}

void written(int n, int *table, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : table[0 : 4]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] = x[table[i % 4]];
}

// CHECK: region 'by_lane'
// CHECK: load x 4 bytes
// CHECK: stride vector 0 16 36 16 16 32 52 32 32 48 68 48
// CHECK: region 'on_a_line'
// CHECK: load x 4 bytes
// CHECK: stride vector 0 8 16 24 32 40 48 56 0 8 16 24
// CHECK: region 'of_records'
// CHECK: load x 4 bytes
// CHECK: stride vector 0 8 8 -8 0 8 8 -8
// CHECK: region 'by_iteration'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'long_table'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from the constant table {{[^']*}} (stride {{[0-9 ]+}} there)' class data-dependent
// CHECK: region 'written'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'index loaded from table (stride {{[0-9 ]+}} there)' class data-dependent
