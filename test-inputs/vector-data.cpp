// RUN: %device++ | %FileCheck %s
//
// The storage of std::vector, mapped through data(): 8 bytes between neighbouring doubles.

#include <vector>

void scale(double a, std::vector<double> &v) {
  double *data = v.data();
  int n = static_cast<int>(v.size());
#pragma omp target teams distribute parallel for map(tofrom : data[0 : n])
  for (int i = 0; i < n; ++i)
    data[i] *= a;
}

// CHECK: region '{{.*}}scale{{.*}}' at {{.*}}vector-data.cpp:[[#@LINE-5]] (device, spmd
// CHECK: loop0 distribute-parallel-for i {{.*}}trips [n] schedule
// CHECK: acc0 load data 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK: acc1 store data 8 bytes
// CHECK: stride constant 8 class coalesced sectors 8..9 lines 2..3
// CHECK-NOT: {{acc[0-9]}}
// CHECK: total sectors {{.*}}without-count 0
