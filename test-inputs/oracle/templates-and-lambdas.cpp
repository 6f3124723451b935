// REQUIRES: libomp-device-bc
// RUN: %compile-device++ %s > %t.bc
// RUN: %arguments > %t.yaml
// RUN: %ipda-trace %t.bc --args %t.yaml --check | %FileCheck %s
//
// A template for two types, and a lambda that is handed to it.

template <typename T, typename F> void apply(long n, const T *x, T *y, F f) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(from : y[0 : n]) firstprivate(f)
  for (long i = 0; i < n; ++i)
    y[i] = f(x[i]);
}

void scale(long n, double a, const double *x, double *y) {
  apply(n, x, y, [a](double value) { return a * value; });
}

void twice(long n, const float *x, float *y) {
  apply(n, x, y, [](float value) { return value + value; });
}

// CHECK: kernel apply<double, scale(
// CHECK: 11:14 load acc1 8 4 25 6.25 8..9 yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
// CHECK: kernel apply<float, twice(
// CHECK: 11:14 load acc0 4 4 25 3.25 4..5 yes
// CHECK: computes the same in {{[0-9]+}} launches (4 orders of threads, {{[0-9]}} geometries), no race
