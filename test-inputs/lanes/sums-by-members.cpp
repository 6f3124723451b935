// Norms and dot products of a class: how often the loops run is a member's value, which the kernel reads before it does anything else. What combines the
// copies of a sum writes these alone, also where the runtime's code is in the module, as it is in a build.
// REQUIRES: cuda
// RUN: %clang-device -w -Rpass=ipda -Rpass-missed=ipda -g %s -o %t.s 2>&1 | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE

struct grid {
  int nx, ny;
  double *u;

  double norm() {
    double sum = 0;
#pragma omp target teams distribute parallel for collapse(2) reduction(+ : sum) map(to : this[0 : 1], u[0 : nx * ny])
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        sum += u[i * ny + j] * u[i * ny + j];
    return sum;
  }

  double dot(const grid &other) {
    double sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : this[0 : 1], u[0 : nx * ny], other, other.u[0 : nx * ny])
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        sum += u[i * ny + j] * other.u[i * ny + j];
    return sum;
  }
};

double of(grid &a, grid &b) { return a.norm() + a.dot(b); }

double by_address(int n, const double *u) {
  double least = 1e300;
#pragma omp target teams distribute parallel for reduction(min : least) map(to : n, u[0 : n * n])
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      least = u[i * n + j] < least ? u[i * n + j] : least;
  return least;
}

// CHECK-DAG: sums-by-members.cpp:13:{{.*}} remark: interchanged the loops over
// CHECK-DAG: sums-by-members.cpp:24:{{.*}} remark: interchanged and collapsed the loops over
// CHECK-DAG: sums-by-members.cpp:36:{{.*}} remark: interchanged and collapsed the loops over
//
// JUDGE: 3 kernels,
// JUDGE: launches compared, 0 wrong
