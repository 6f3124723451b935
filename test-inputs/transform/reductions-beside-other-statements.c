// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %compile-device %s | %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=IR
// RUN: %ipda-oracle transform %s
//
// Reductions beside other statements. What is added between the loops is added once.

#define REGION(clause) _Pragma(#clause)

void between_the_loops(int n, int m, const int *B, const int *x, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i) {
    s += x[i];
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
    s -= 2;
  }
  *out = s;
}

void where_it_is_large(int n, int m, const int *B, int *restrict A, int *out) {
  int s = *out;
REGION(omp target teams distribute parallel for reduction(+: s) map(tofrom: s))
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      A[i * m + j] = B[i * m + j] + j;
      if (B[i * m + j] > 50)
        s += i - j;
    }
  *out = s;
}

// CHECK: region 'between_the_loops'
// CHECK: transformation possible threads i j
// CHECK: region 'where_it_is_large'
// CHECK: transformation possible threads i j

// A team has one block of iterations, not one for each of its threads at a time, so that its copies are combined once. Parts of sums are
// others than before: nothing is promised of them.
// IR-LABEL: define internal void @{{.*}}_between_the_loops_{{.*}}outlined.ipda(
// IR: call void @__kmpc_distribute_static_init_4(ptr {{.*}}, i32 {{.*}}, i32 92,
// IR-LABEL: define internal void @{{.*}}_between_the_loops_{{.*}}outlined{{.*}}outlined.ipda(
// IR: call void @__kmpc_for_static_init_4(
// IR: icmp eq i32
// IR-NEXT: br i1
// IR: store i32 %{{[0-9]+}}, ptr [[COPY:%[0-9]+]],
// IR: [[OLD:%.*]] = load i32, ptr [[COPY]],
// IR-NEXT: = add i32 [[OLD]],
