// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ipda-oracle transform %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --target amdgcn %s | %FileCheck %s --check-prefix=JUDGE
//
// One array goes along the rows, another along the columns: whichever loop is the fastest, one of them has a sector for each lane. A warp on a tile of
// both has a few lanes in each row, and a few in each column.
//
// JUDGE: tiles of lanes in 5
// JUDGE: {{[0-9]+}} launches compared, 0 wrong
//
// ARGS: n: 21
// ARGS: m: 37

void by_rows(int n, int m, const float *a, float *b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// CHECK: region 'by_rows'
// CHECK: transformation possible threads i j lanes 4x8 sectors 37 to 18 of 1021 to 1042441 threads
// CHECK: if 'a and b do not overlap'
// CHECK: if 'n >= 2'
// CHECK: if 'm >= 4'
// CHECK: if 'n*m + 7*n + 3*m + 21 < 2^31 - 2^20'
// CHECK-NOT: clause

// A lane's column, its row, the tile's row by a reciprocal; and numbers behind the end are left out.
// IR-LABEL: define internal void @{{.*}}_by_rows_l{{[0-9]+}}_omp_outlined_omp_outlined.ipda(
// IR: [[THREAD:%[0-9]+]] = phi i32
// IR: [[ROW:%[0-9]+]] = udiv i32 [[THREAD]], 8
// IR: [[TILE:%[0-9]+]] = udiv i32 [[ROW]], 4
// IR: udiv i32 %{{[0-9]+}}, 8
// IR: call i32 @llvm.nvvm.mulhi.ui(
// IR: icmp ult i64
// IR-NEXT: br i1
// IR: icmp ult i64
// IR-NEXT: br i1

// The loops that a clause collapsed are as good: their iterations are no more, but numbers are.
void by_clause(int n, int m, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for collapse(2) map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
}

// CHECK: region 'by_clause'
// CHECK: transformation possible threads {{.*}} lanes {{4x8|8x4}}

// Eight bytes an element: four columns fill a sector.
void in_halves(long n, long m, const double *restrict a, double *restrict b) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m])
  for (long i = 1; i < n - 1; i += 2)
    for (long j = 0; j < m; ++j)
      b[j * n + i] = (a[i * m + j] + b[j * n + i - 1]) / 2;
}

// CHECK: region 'in_halves'
// CHECK: transformation possible threads {{i j|j i}} lanes {{[0-9]+x[0-9]+}}

// Rows that are found by a load between the loops, which is made only where there is a row.
void of_rows(int n, int m, const int *restrict row, const float *restrict a, float *restrict b) {
#pragma omp target teams distribute parallel for map(to : row[0 : n], a[0 : n * m]) map(from : b[0 : n * m])
  for (int i = 0; i < n; ++i) {
    int at = row[i];
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j] + at;
  }
}

// CHECK: region 'of_rows'
// CHECK: transformation possible threads i j lanes 4x8

// What stands between the loops is left to one thread, of a tile as of a row.
void with_sums(int n, int m, const float *restrict a, float *restrict b, float *restrict first) {
#pragma omp target teams distribute parallel for map(to : a[0 : n * m]) map(from : b[0 : n * m], first[0 : n])
  for (int i = 0; i < n; ++i) {
    first[i] = i;
    for (int j = 0; j < m; ++j)
      b[j * n + i] = a[i * m + j];
  }
}

// CHECK: region 'with_sums'
// CHECK: transformation possible threads i j lanes 4x8
