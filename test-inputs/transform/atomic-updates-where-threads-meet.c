// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// Where several iterations of the shared loop may update a place, their threads come in any order as written, and so may those of fused loops.
// ORACLE: depends on the launch: one_place, histogram

// Of two iterations and more, each may come first: there is no order. Of one, there is.
void one_place(int n, int m, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'one_place'
// CHECK: transformation possible threads i j
// CHECK: if 'n >= 2'
// CHECK: because 'the order of atomic updates of c by float add is not kept: as written several threads may update one place, in any order'
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : c[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[0] += a[i * m + j];
    }
}

void histogram(int n, int m, const int *restrict bin, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'histogram'
// CHECK: transformation possible threads i j
// CHECK: if 'n >= 2'
// CHECK: because 'the order of atomic updates of c by float add is not kept: as written several threads may update one place, in any order'
#pragma omp target teams distribute parallel for map(to : bin[0 : n * m], a[0 : n * m]) map(tofrom : c[0 : 64])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      c[bin[i * m + j] & 63] += a[i * m + j];
    }
}

// Rows of ld elements do not overlap where ld >= m, which nothing says: then each place has one thread, which goes through k in order.
void rows_of_any_length(int n, int m, int p, int ld, const float *restrict a, float *restrict c) {
// CHECK-LABEL: region 'rows_of_any_length'
// CHECK: transformation possible threads i j
// CHECK-NOT: because
#pragma omp target teams distribute parallel for map(to : a[0 : m * p]) map(tofrom : c[0 : n * ld])
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < p; ++k)
      for (int j = 0; j < m; ++j) {
#pragma omp atomic
        c[i * ld + j] += a[k * m + j] * i;
      }
}

struct total {
  int count;
  float sum;
};

// Sums that are members of structures differ by their rounding, counts not at all.
void sum_and_count(int n, int m, const float *restrict a, struct total *restrict total) {
// CHECK-LABEL: region 'sum_and_count'
// CHECK: transformation possible threads i j
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(tofrom : total[0 : 1])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
#pragma omp atomic
      total->sum += a[i * m + j] * 1.7f;
#pragma omp atomic
      total->count++;
    }
}
