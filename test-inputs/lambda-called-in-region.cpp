// RUN: %device++ | %FileCheck %s
//
// The loop body is a lambda passed to a template. It captures x by value, so each thread reads the pointer from the
// capture object, one address for all, and then x[i], 4 bytes apart.

template <typename Body> void for_each_index(int n, Body body) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    body(i);
}

void scale(int n, float a, float *x) {
  for_each_index(n, [=](int i) { x[i] *= a; });
}

// CHECK: region '{{.*}}for_each_index{{.*}}' at {{.*}}lambda-called-in-region.cpp:[[#@LINE-9]] (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: load {{[^ ]*}} 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store {{[^ ]*}} 4 bytes
// CHECK: stride constant 4 class coalesced
