// RUN: cd %S && env IPDA_REPORT=%t.yaml %ipda cc --look -O2 -g -fopenmp --offload-arch=sm_90 -c gather-and-store.c
// RUN: %ipda report %t.yaml --only actions --width 200 | %FileCheck %s
//
// Where b is read, the data decide, so that no test can tell it from a. Parameters that are restrict do; of members, restrict tells the compiler
// nothing, and of rows behind pointers in memory neither does it.

struct field {
  float *restrict a, *restrict b;
};

// CHECK: :[[#@LINE+5]]:{{[0-9]+}} {{ *}}plain {{ *}}todo {{ *}}LoopOrder {{ *}}make the pointers restrict parameters of the function, if these arrays never overlap
void plain(int n, int m, float *a, const float *b, const int *idx) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n * m], idx[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[idx[i * m + j]];
}

// CHECK: :[[#@LINE+5]]:{{[0-9]+}} {{ *}}members {{ *}}todo {{ *}}LoopOrder {{ *}}make the pointers restrict parameters of the function
void members(int n, int m, struct field *f, const int *restrict idx) {
#pragma omp target teams distribute parallel for is_device_ptr(f, idx)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      f->a[i * m + j] += f->b[idx[i * m + j]];
}

// CHECK: :[[#@LINE+5]]:{{[0-9]+}} {{ *}}rows {{ *}}todo {{ *}}LoopOrder {{ *}}keep all rows in one array, in place of pointers to rows
void rows(int n, int m, float **a, float **b) {
#pragma omp target teams distribute parallel for is_device_ptr(a, b)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[j][i] += b[i][j];
}

// CHECK: :[[#@LINE+2]] {{ *}}parameters {{ *}}done {{ *}}LoopOrder {{ *}}collapse(2) over i and j
void parameters(int n, int m, float *restrict a, const float *restrict b, const int *restrict idx) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n * m]) map(to : b[0 : n * m], idx[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      a[i * m + j] += b[idx[i * m + j]];
}
