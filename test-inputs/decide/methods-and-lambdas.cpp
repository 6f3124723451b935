// RUN: %policies | %FileCheck %s
// C++: members by `this`, references, a vector's data, lambdas, templates. What is mapped by a section of a local pointer may run on the host.
#include <cstdio>
#include <vector>
enum { N = 1000 };
struct Grid {
  int length = N;
  int cells[N] = {};
  int *more = nullptr;
  void own() {
#pragma omp target teams distribute parallel for map(tofrom : this[0 : 1])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
    for (int i = 0; i < N; ++i)
      cells[i] += 1;
  }
  void implicit() {
#pragma omp target teams distribute parallel for
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark:
    for (int i = 0; i < N; ++i)
      cells[i] += 2;
  }
  void far() {
#pragma omp target teams distribute parallel for map(tofrom : more[0 : length])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
    for (int i = 0; i < length; ++i)
      more[i] += 3;
  }
  void copied() {
    int *const more = this->more;
    const int length = this->length;
#pragma omp target teams distribute parallel for map(tofrom : more[0 : length])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
    for (int i = 0; i < length; ++i)
      more[i] += 4;
  }
};
static void by_reference(int (&a)[N], int &total) {
#pragma omp target teams distribute parallel for map(tofrom : a) map(tofrom : total) reduction(+ : total)
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < N; ++i) {
    a[i] += 1;
    total += a[i];
  }
}
static void of_vector(std::vector<int> &all) {
  int *data = all.data();
  const std::size_t n = all.size();
#pragma omp target teams distribute parallel for map(tofrom : data[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (std::size_t i = 0; i < n; ++i)
    data[i] += 5;
}
template <typename T, typename F> static void apply(T *a, int n, F f) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
  for (int i = 0; i < n; ++i)
    a[i] = f(a[i], i);
}
template <typename T, typename F> static void apply_to_members(T *a, int n, F f) {
#pragma omp target teams distribute parallel for map(tofrom : a[0 : n])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: its launches stay on the device:
  for (int i = 0; i < n; ++i)
    a[i] = f(a[i], i);
}
static double outside(double);
int main() {
  static Grid grid;
  static int a[N], b[N], offsets[N];
  static double d[N];
  int total = 0, step = 3;
  std::vector<int> all(N, 1);
  grid.more = b;
  grid.own();
  grid.implicit();
  grid.far();
  grid.copied();
  by_reference(a, total);
  of_vector(all);
  apply(a, N, [](int x, int i) { return 2 * x + i; });
  apply(d, N, [step](double x, int i) { return x + step * i; });
  int *there = offsets;
  apply_to_members(a, 1, [there, step](int x, int) { return x + (there != nullptr) * step; });
  auto region = [&](int *p) {
#pragma omp target teams distribute parallel for map(tofrom : p[0 : N])
// CHECK: :[[@LINE-1]]:{{[0-9]+}}: remark: each launch may run on the host
    for (int i = 0; i < N; ++i)
      p[i] += 6;
  };
  region(a);
  std::printf("%d %d %d %d %g %d\n", grid.cells[N - 1], b[N - 1], a[0], total, d[N - 1], all[7]);
}
// CHECK: under never:
// CHECK: Grid::own at {{.*}}: on the host
