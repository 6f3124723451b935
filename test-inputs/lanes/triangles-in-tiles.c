// REQUIRES: cuda
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan -D n=33 -D m=33 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan -D n=50 -D m=7 | %FileCheck %s
// RUN: %ipda predict %t.yaml --gpu h100-sxm --cpu epyc-milan -D n=1000 -D m=50 | %FileCheck %s
//
// A triangle in tiles of 4 x 8 lanes. Where so few rows are taken one at a time, a thread has no more of them than there are: rounded up to whole tiles, they
// were more than the launch has threads for, and there was no prediction.
//
// CHECK: covariance, {{.*}}, with n = {{[0-9]+}}, m = {{[0-9]+}}
// CHECK: device, loops {{.*}}collapsed and tiled
// CHECK: kernel

void covariance(int n, int m, double scale, const double *restrict data, double *restrict products) {
#pragma omp target teams distribute parallel for map(to : data[0 : n * m]) map(tofrom : products[0 : n * n])
  for (int row = 0; row < n; row++)
    for (int column = 0; column <= row; column++) {
      products[row * n + column] *= scale;
      for (int at = 0; at < m; at++)
        products[row * n + column] += data[row * m + at] * data[column * m + at];
    }
}
