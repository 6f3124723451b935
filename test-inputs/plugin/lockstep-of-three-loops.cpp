// REQUIRES: cuda, libomp-device-bc
// RUN: %clang-device -emit-llvm %s -o - | %FileCheck %s
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
//
// The middle one of three loops that a clause collapsed, or that a program numbers itself: what the slowest one leaves of the number, divided by a size.
//
// JUDGE: kernels, {{[0-9]+}} transformed; of these new code ran in 4,
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong

#include <cstddef>

// Counters of 64 bits without a sign, whose product may wrap around: the kernel asks that it does not.
// CHECK: define {{.*}}batchIdE{{.*}}_omp_outlined_omp_outlined.ipda(
// CHECK: select i1 %{{.*}}, i64 4, i64 1
// CHECK-COUNT-4: phi double
// CHECK: {{^[}]}}
namespace {
template <class T> struct Batch {
  std::size_t count, rows;
  T *data;
};

template <class T> void batch(Batch<T> c, Batch<const double> a, Batch<const double> b) {
  const std::size_t count = c.count, n = c.rows;
  T *out = c.data;
  const double *left = a.data, *right = b.data;
#pragma omp target teams distribute parallel for collapse(3) map(tofrom : out[0 : count * n * n]) map(to : left[0 : count * n * n], right[0 : count * n * n])
  for (std::size_t p = 0; p < count; ++p)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        T sum = 0;
        for (std::size_t k = 0; k < n; ++k)
          sum += left[(p * n + i) * n + k] * right[(p * n + k) * n + j];
        out[(p * n + i) * n + j] = sum;
      }
}
} // namespace

void batches(std::size_t count, std::size_t n, const double *a, const double *b, double *c) {
  batch<double>({count, n, c}, {count, n, a}, {count, n, b});
}

// Without the edges: counters begin at 1.
// CHECK: define {{.*}}inside_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: select i1 %{{.*}}, i64 4, i64 1
// CHECK-COUNT-4: phi float
// CHECK: {{^[}]}}
extern "C" void inside(int planes, int nx, int ny, const float *weight, const float *in, float *out) {
#pragma omp target teams distribute parallel for collapse(3) map(to : weight[0 : ny * ny], in[0 : planes * ny * nx]) map(tofrom : out[0 : planes * ny * nx])
  for (int z = 1; z < planes - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        float sum = 0.0f;
        for (int k = 0; k < ny; k++)
          sum += weight[y * ny + k] * in[(z * ny + k) * nx + x];
        out[(z * ny + y) * nx + x] = sum;
      }
}

// Numbered by hand. Two of three sizes may be negative and their product is not.
// CHECK: define {{.*}}by_hand_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: {{^[}]}}
extern "C" void by_hand(int s, int n, int m, int l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : 8192], b[0 : 8192]) map(tofrom : c[0 : 8192])
  for (int x = 0; x < s * n * m; ++x) {
    const int p = x / (n * m), rest = x - p * (n * m), i = rest / m, j = rest - i * m;
    double sum = 0;
    for (int k = 0; k < l; ++k)
      sum += a[2048 + i * 8 + k] * b[2048 + (p * 8 + k) * 8 + j];
    c[x] = sum;
  }
}

// The rest is divided by another number than the last loop runs: it is a digit as a whole.
extern "C" void by_another(int s, int n, int m, int l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : 8192], b[0 : 8192]) map(tofrom : c[0 : 8192])
  for (int x = 0; x < s * n * m; ++x) {
    const int p = x / (n * m), rest = x - p * (n * m), i = rest / (m + 1), j = rest - i * (m + 1);
    double sum = 0;
    for (int k = 0; k < l; ++k)
      sum += a[2048 + i * 8 + k] * b[2048 + (p * 8 + k) * 8 + j];
    c[x] = sum;
  }
}
