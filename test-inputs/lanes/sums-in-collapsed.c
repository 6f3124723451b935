// A loop that sums up within the body of collapsed loops does not hold these in their order: the sum begins anew in each iteration.
// REQUIRES: libomp-device-bc
// RUN: %compile-device %s | %analyse | %FileCheck %s
// RUN: %clang-device -Rpass-missed=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=MISSED --allow-empty
// RUN: %clang-device -Rpass-analysis=ipda %s -o %t.s 2>&1 | %FileCheck %s --check-prefix=LIMIT
// RUN: %ipda-oracle transform --optimised --schedules %s | %FileCheck %s --check-prefix=RUNS
// RUNS: 4 kernels, 4 transformed; of these new code ran in 4,
// RUNS: launches compared, 0 wrong
//
// A limit that the analysis met is no chance that was missed where the loops are better in any case.
// MISSED-NOT: remark:
// LIMIT: the analysis met its limit product-terms {{.*}}[Limit]

#define AT(i, j, k, n) (((i) * ((n) + 2) + (j)) * ((n) + 2) + (k))

// A step of a multigrid method, with the fastest index of memory in the outermost loop.
// CHECK: region 'restricted'
// CHECK: transformation possible threads i j k sectors
void restricted(int n, int m, const double *fine, double *coarse) {
#pragma omp target teams distribute parallel for collapse(3) map(to : fine[0 : (m + 2) * (m + 2) * (m + 2)]) \
    map(tofrom : coarse[0 : (n + 2) * (n + 2) * (n + 2)])
  for (int k = 1; k <= n; ++k)
    for (int j = 1; j <= n; ++j)
      for (int i = 1; i <= n; ++i) {
        double sum = 0;
        for (int a = -1; a <= 1; ++a)
          for (int b = -1; b <= 1; ++b)
            sum += fine[AT(2 * i + a, 2 * j + b, 2 * k, m)];
        coarse[AT(i, j, k, n)] = sum / 9;
      }
}

// CHECK: region 'rows'
// CHECK: transformation possible threads i j sectors
void rows(int n, int m, const float *weights, float *out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : weights[0 : n * m]) map(from : out[0 : n * n])
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int d = 0; d < m; ++d)
        sum += weights[i * m + d];
      out[i * n + j] = sum;
    }
}

// With two loops in the body, one after the other.
// CHECK: region 'normalised'
// CHECK: transformation possible threads i j sectors
void normalised(int n, const float *in, float *out) {
#pragma omp target teams distribute parallel for collapse(2) map(to : in[0 : 16 * n * n]) map(from : out[0 : n * n])
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      float most = 0, sum = 0;
      for (int c = 0; c < 16; ++c)
        most = in[(c * n + i) * n + j] > most ? in[(c * n + i) * n + j] : most;
      for (int c = 0; c < 16; ++c)
        sum += in[(c * n + i) * n + j] - most;
      out[i * n + j] = sum;
    }
}

// The product of two sums of 17 powers has more terms than are multiplied out.
// CHECK: region 'weighted'
// CHECK: transformation possible threads {{.*}} sectors
#define BY(p, x) (p) = (p) * (x) + 1
#define TIMES4(p, x) BY(p, x), BY(p, x), BY(p, x), BY(p, x)
void weighted(int n, long x, long y, const double *weights, double *a) {
#pragma omp target teams distribute parallel for collapse(2) map(to : weights[0 : 1 << 20]) map(tofrom : a[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      long p = 1, q = 1;
      TIMES4(p, x), TIMES4(p, x), TIMES4(p, x), TIMES4(p, x);
      TIMES4(q, y), TIMES4(q, y), TIMES4(q, y), TIMES4(q, y);
      a[j * n + i] *= weights[p * q];
    }
}
