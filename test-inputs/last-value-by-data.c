// RUN: %device | %FileCheck %s
// RUN: %host | %FileCheck %s
//
// Where a search ends is decided by what it reads: the index of the end depends on data. In `counted`, the position is a sum of loaded
// counts. In `same_search`, all threads search one array from its start: where they end is the same for all, and x moves by 4 bytes. In its
// twin `own_start` each thread begins elsewhere.
//
// ARGS: n: 40
// ARGS: m: 5
// ARGS: a: { type: i32, count: 200, fill: { modulo: 3 } }
// ARGS: x: { type: f32, count: 300 }
// ARGS: place: { type: i32, count: 600 }

void first_zero(int n, int m, const int *a, int *place) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : place[0 : n * (m + 1)])
  for (int i = 0; i < n; ++i) {
    int k = 0;
    while (k < m && a[i * m + k] != 0)
      ++k;
    place[i * (m + 1) + k] = i;
  }
}

void first_positive(int n, int m, const float *x, int *place) {
#pragma omp target teams distribute parallel for map(to : x[0 : n * m]) map(from : place[0 : n * (m + 1)])
  for (int i = 0; i < n; ++i) {
    int found = m;
    for (int k = 0; k < m; ++k)
      if (x[i * m + k] > 0.5f) {
        found = k;
        break;
      }
    place[i * (m + 1) + found] = i;
  }
}

void counted(int n, int m, const int *a, int *place) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : place[0 : n * (2 * m + 1)])
  for (int i = 0; i < n; ++i) {
    int at = 0;
    for (int k = 0; k < m; ++k)
      at += a[i * m + k];
    place[i * (2 * m + 1) + at] = i;
  }
}

void same_search(int n, int m, const int *a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : a[0 : m], x[0 : n + m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int k = 0;
    while (k < m && a[k] != 2)
      ++k;
    y[i] = x[i + k];
  }
}

void own_start(int n, int m, const int *a, const float *x, float *y) {
#pragma omp target teams distribute parallel for map(to : a[0 : n + m], x[0 : 2 * n + m]) map(from : y[0 : n])
  for (int i = 0; i < n; ++i) {
    int k = i;
    while (k < n + m && a[k] != 2)
      ++k;
    y[i] = x[i + k];
  }
}

// CHECK: region 'first_zero'
// CHECK: store place 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from a' class data-dependent
// CHECK: region 'first_positive'
// CHECK: store place 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from x' class data-dependent
// CHECK: region 'counted'
// CHECK: store place 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from a' class data-dependent
// CHECK: region 'same_search'
// CHECK: load x 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: region 'own_start'
// CHECK: load x 4 bytes
// CHECK: stride data-dependent 'it is computed from values loaded from a' class data-dependent
