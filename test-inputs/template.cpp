// RUN: %device++ | %FileCheck %s
// RUN: %host++ | %FileCheck %s --check-prefix=HOST
//
// One region in a function template, instantiated for double and float: two regions at the same line, whose neighbouring
// threads are 8 and 4 bytes apart.

template <typename T> void axpy(int n, T a, const T *x, T *y) {
#pragma omp target teams distribute parallel for map(to : x[0 : n]) map(tofrom : y[0 : n])
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

template void axpy<double>(int, double, const double *, double *);
template void axpy<float>(int, float, const float *, float *);

// HOST-COUNT-2: region '{{.*}}axpy{{.*}}' at {{.*}}template.cpp:[[#@LINE-8]]

// CHECK: region '{{.*}}axpy{{.*}}double{{.*}}' at {{.*}}template.cpp:[[#@LINE-10]] (device, spmd
// CHECK: acc0 load x 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 load y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc2 store y 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: region '{{.*}}axpy{{.*}}float{{.*}}' at {{.*}}template.cpp:[[#@LINE-17]] (device, spmd
// CHECK: acc0 load x 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc1 load y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
// CHECK: acc2 store y 4 bytes
// CHECK: stride constant 4 class coalesced sectors 4..5 lines 1..2
