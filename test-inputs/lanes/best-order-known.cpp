// That no other order of the loops is better, the report says only where it is known how far apart neighbouring threads touch memory.
// RUN: %compile-device %s | %analyse | %FileCheck %s

// CHECK: region 'known'
// CHECK: transformation best
void known(int n, int m, const double *x, double *y) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i * m + j] = x[i * m + j];
}

// A view with any strides, as a transposed one has: which of them is the small one, nobody knows before it runs.
struct Strided {
  double *data;
  int stride0, stride1;
  double &operator()(int i, int j) const { return data[i * stride0 + j * stride1]; }
};

// CHECK: region 'strided'
// CHECK-NOT: transformation best
void strided(int n, int m, Strided x, Strided y) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y(i, j) = x(i, j);
}

// CHECK: region 'gathered'
// CHECK-NOT: transformation best
void gathered(int n, int m, const int *from, const double *x, double *y) {
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i * m + j] = x[from[i * m + j]];
}
