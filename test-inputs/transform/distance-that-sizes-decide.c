// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Iteration i reads what iteration i - 5 stored, of each j. Rows of i may change places only where i - 5 never reaches 5, which is m <= 10. With
// sizes that are not known the gain is computed for m = 1021, and for that it is a race: no version, and none is proposed.

#define REGION _Pragma("omp target teams distribute parallel for")

void any_number_of_rows(int n, int m, float *a) {
  REGION
  for (int j = 0; j < n; ++j)
    for (int i = 5; i < m; ++i)
      a[i * n + j] = a[(i - 5) * n + j] + 1;
}

// m <= 100 is no better: iterations that need others are there for all sizes but small ones, and no gain is looked for where they are not.
void distance_of_fifty(int n, int m, float *a) {
  REGION
  for (int j = 0; j < n; ++j)
    for (int i = 50; i < m; ++i)
      a[i * n + j] = a[(i - 50) * n + j] + 1;
}

// The same where rows are read that nobody writes: rows 5 to 9 are stored, rows 0 to 4 read.
void few_rows(int n, float *a) {
  REGION
  for (int j = 0; j < n; ++j)
    for (int i = 5; i < 10; ++i)
      a[j * 64 + i] = a[j * 64 + (i - 5)] + 1;
}

// A distance that is large for large sizes: what is read lies behind what is stored for any m up to the distance, for m = 1021 too.
void far_rows(int n, int m, int distance, float *a) {
  REGION
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      a[j * 4096 + i] = a[j * 4096 + i + 2000] + 1;
}

// CHECK: region 'any_number_of_rows'
// CHECK: transformation left threads
// CHECK-NOT: if '
// CHECK: region 'distance_of_fifty'
// CHECK: transformation left threads i j
// CHECK-NOT: if '
// CHECK: region 'few_rows'
// CHECK: transformation possible threads j i
// CHECK: region 'far_rows'
// CHECK: transformation possible threads j i
// CHECK: if 'm <= 2000'
