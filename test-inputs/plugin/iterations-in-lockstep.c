// REQUIRES: cuda, libomp-device-bc
// RUN: %clang-device -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang-device -emit-llvm %s -o - | %FileCheck %s --check-prefix=LEFT
// RUN: env IPDA_VERSION=1 %clang-device -emit-llvm %s -o - | %FileCheck %s
// RUN: %ptx-with-runtime-90 %s | %FileCheck %s --check-prefix=PTX
// RUN: env IPDA_REPORT=%t.yaml %clang -O2 -g %nvptx %load -c %s -o %t.o && %ipda report %t.yaml --width 200 | %FileCheck %s --check-prefix=REPORT
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %not %ipda-oracle transform --schedules --optimised --mutant behind-the-last %s | %FileCheck %s --check-prefix=MUTANT
//
// A thread takes several iterations of the slowest of its loops in lockstep, where there are many, so that what its inner loop loads for one serves all.
//
// JUDGE: {{[1-9][0-9]*}} launches compared, 0 wrong
// MUTANT: WRONG

#include <stddef.h>

// Nothing of how it is decided is left.
// CHECK-NOT: {{__ipda_(width|iteration)}}
// PTX-NOT: {{__ipda_(width|iteration)}}

// Code of which nothing can be shared stays as it is.
// LEFT-NOT: define {{.*}}{{(alone|below)}}_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// LEFT: define {{.*}}both_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// LEFT-NOT: define {{.*}}{{(alone|below)}}_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(

// What one iteration loads, no other one does.
void alone(int n, int m, int l, const float *a, float *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m * l]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[(i * l + k) * m + j];
      c[i * m + j] = sum;
    }
}

// How often the inner loop runs depends on the row.
void below(int n, int m, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * n], b[0 : n * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k <= i; ++k)
        sum += a[i * n + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Fused by the plugin: four rows, one element of b for all, and one accumulator each.
// CHECK: define {{.*}}product_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-DAG: icmp sge i64 %{{.*}}, {{[0-9][0-9][0-9][0-9]+}}
// CHECK-DAG: icmp sge i64 %{{.*}}, 16
// CHECK-DAG: call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
// CHECK: select i1 %{{.*}}, i64 4, i64 1
// CHECK: udiv i32
// CHECK: mul i32 %{{.*}}, 4
// CHECK-COUNT-3: select i1
// CHECK-COUNT-4: phi float
// CHECK-COUNT-4: load float{{.*}}!invariant.load
// CHECK: %[[SHARED:[0-9]+]] = load float{{.*}}!invariant.load
// CHECK-COUNT-4: call float @llvm.fmuladd.f32(float %{{.*}}, float %[[SHARED]],
// CHECK: {{^[}]}}
// REPORT: product
// REPORT: where there are enough, each thread takes 4 iterations in lockstep, changed by the plugin: what it loads for one serves all
void product(int n, int m, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : l * m]) map(tofrom : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < l; ++k)
        c[i * m + j] += a[i * l + k] * b[k * m + j];
}

// Collapsed in the source: the number is taken apart as the source says, and no second version is made.
// CHECK: define {{.*}}collapsed_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: sdiv i64
// CHECK-COUNT-4: phi double
// CHECK-COUNT-4: call double @llvm.fmuladd.f64
// CHECK: {{^[}]}}
// REPORT: collapsed
// REPORT: each thread takes 4 iterations in lockstep
void collapsed(int n, int m, int l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      double sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Sizes that the source tells: the number is taken apart by shifts.
// CHECK: define {{.*}}of_2048_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-COUNT-4: phi float
// CHECK: {{^[}]}}
void of_2048(int l, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 2048 * l], b[0 : l * 2048]) map(from : c[0 : 2048 * 2048])
  for (unsigned i = 0; i < 2048; ++i)
    for (unsigned j = 0; j < 2048; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * 2048 + j];
      c[i * 2048 + j] = sum;
    }
}

// Tiles of lanes with idle threads: whether there is an iteration is tested for each, and one that is there stands in for those that are not.
// CHECK: define {{.*}}both_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-COUNT-3: or i1
// CHECK-COUNT-4: phi float
// CHECK: {{^[}]}}
void both_rows(int n, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : n * l]) map(tofrom : c[0 : n * n])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < l; ++k)
        c[i * n + j] += a[i * l + k] * b[j * l + k];
}

// The product by which the rest of the number is computed is a row's address, too.
// CHECK: define {{.*}}in_longer_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-COUNT-4: phi double
// CHECK: {{^[}]}}
void in_longer_rows(long ld, long n, long m, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m], b[0 : m * m]) map(tofrom : c[0 : n * ld])
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < m; ++j) {
      double sum = 0;
      for (long k = 0; k < m; ++k)
        sum += a[i * m + k] * b[k * m + j];
      c[i * ld + j] = sum;
    }
}

// Where a row begins, and the number itself, which the loop's head has in another width.
// CHECK: define {{.*}}added_to_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-COUNT-4: phi double
// CHECK: {{^[}]}}
void added_to(int n, int l, const double *a, const double *b, const double *d, double *c) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * l], b[0 : l * 64], d[0 : n * 64]) map(tofrom : c[0 : n * 64])
  for (int p = 0; p < n * 64; ++p) {
    int i = p / 64, j = p % 64;
    double sum = d[p];
    for (int k = 0; k < l; ++k)
      sum += a[i * l + k] * b[k * 64 + j];
    c[i * 64 + j] = sum;
  }
}

// The addresses need i*3 + j alone, and the code divides by 24 first.
// LEFT-NOT: define {{.*}}three_levels_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
void three_levels(int n, int l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : n * 3 * l], b[0 : l * 8]) map(tofrom : c[0 : n * 3 * 8])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j)
      for (int h = 0; h < 8; ++h) {
        double sum = 0;
        for (int k = 0; k < l; ++k)
          sum += a[(i * 3 + j) * l + k] * b[k * 8 + h];
        c[(i * 3 + j) * 8 + h] = sum;
      }
}

// A loop of five iterations has one group of four alone.
// CHECK: define {{.*}}of_five_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK-NOT: select i1 %{{.*}}, i64 4, i64 1
// CHECK: {{^[}]}}
void of_five_rows(int m, int l, const float *a, const float *b, float *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : 5 * l], b[0 : l * m]) map(from : c[0 : 5 * m])
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < m; ++j) {
      float sum = 0;
      for (int k = 0; k < l; ++k)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// Counters without sign: that there are not too many iterations to be counted, the kernel tests.
// CHECK: define {{.*}}counted_by_size_t_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: udiv i64
// CHECK-COUNT-4: phi double
// CHECK: {{^[}]}}
// Ten loads at once are enough: ptxas does not take several turns of the loop together. There is no other loop that it could not: none is kept as it was.
// PTX: .entry __omp_offloading{{.*}}counted_by_size_t
// PTX: .pragma "nounroll";
// PTX-NOT: bra
// PTX-COUNT-10: ld.global.f64
// PTX: bra
// PTX-NOT: .pragma "nounroll";
// PTX: st.global.f64
void counted_by_size_t(size_t n, size_t m, size_t l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * l], b[0 : l * m]) map(from : c[0 : n * m])
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double sum = 0.0;
      for (size_t k = 0; k < l; k++)
        sum += a[i * l + k] * b[k * m + j];
      c[i * m + j] = sum;
    }
}

// A product for each of some pairs of matrices: rows of one product are taken together, which share what all of them load of b. The rows are not the
// slowest of the loops that the clause collapsed, so that the number is divided by as many fewer.
// CHECK: define {{.*}}of_each_pair_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: select i1 %{{.*}}, i64 4, i64 1
// CHECK-COUNT-4: phi double
// CHECK: {{^[}]}}
void of_each_pair(int pairs, int n, int m, int l, const double *a, const double *b, double *c) {
#pragma omp target teams distribute parallel for collapse(3) map(to : a[0 : pairs * n * l], b[0 : pairs * l * m]) map(from : c[0 : pairs * n * m])
  for (int s = 0; s < pairs; s++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        double sum = 0.0;
        for (int k = 0; k < l; k++)
          sum += a[(s * n + i) * l + k] * b[(s * l + k) * m + j];
        c[(s * n + i) * m + j] = sum;
      }
}

// The same, fused by the plugin.
// CHECK: define {{.*}}of_each_pair_fused_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// CHECK: select i1 %{{.*}}, i64 4, i64 1
// CHECK-COUNT-4: phi float
// CHECK: {{^[}]}}
void of_each_pair_fused(int pairs, int n, int m, int l, const float *restrict a, const float *restrict b, float *restrict c) {
#pragma omp target teams distribute parallel for map(to : a[0 : pairs * n * l], b[0 : pairs * l * m]) map(from : c[0 : pairs * n * m])
  for (int s = 0; s < pairs; s++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        float sum = 0.0f;
        for (int k = 0; k < l; k++)
          sum += a[(s * n + i) * l + k] * b[(s * l + k) * m + j];
        c[(s * n + i) * m + j] = sum;
      }
}

// Linearised by hand, two negative sizes make a positive product, and a quotient without sign is another one than that with a sign.
// LEFT-NOT: define {{.*}}by_both_signs_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
void by_both_signs(int n, int m, int l, const double *a, const double *b, double *c, unsigned *tag) {
#pragma omp target teams distribute parallel for map(to : a[0 : 4096], b[0 : 4096]) map(tofrom : c[0 : 4096], tag[0 : 4096])
  for (int x = 0; x < n * m; ++x) {
    int i = x / m, j = x - m * i, o = i < 0 ? 1024 : 0;
    double sum = 0;
    for (int k = 0; k < l; ++k)
      sum += a[i * l + k + o] * b[k * m + j + 1024];
    c[x] = sum;
    tag[x] = (unsigned)x / (unsigned)m;
  }
}
