// RUN: %device++ | %FileCheck %s
//
// A region inside a lambda: x is a captured pointer, and x[i] moves by 4 bytes.

void scale(int n, float a, float *x) {
  auto run = [=]() {
#pragma omp target teams distribute parallel for map(tofrom : x[0 : n])
    for (int i = 0; i < n; ++i)
      x[i] *= a;
  };
  run();
}

// CHECK: region '{{.*}}' at {{.*}}region-in-lambda.cpp:[[#@LINE-7]] (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips {{.*}} schedule
// CHECK: load {{[^ ]*}} 4 bytes
// CHECK: stride constant 4 class coalesced
// CHECK: store {{[^ ]*}} 4 bytes
// CHECK: stride constant 4 class coalesced
