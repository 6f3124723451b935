// REQUIRES: libomp-device-bc
// RUN: %device | %FileCheck %s
// RUN: %ipda-oracle transform %s
//
// A clause says who runs which iteration, and in which order: where iterations do not need each other, that order is as good as any, and a
// chunk is one of fused iterations. A launch may have a team for each 32 of them: with 64 for each team, the next ones are up to twice as many further on, so
// that only half as many numbers fit as with a sign, 2^30. Where they may, the loops are left alone, though without the clause the program's word would do.
//
// Teams that take chunks by a clause have a loop over them. What the guard says is chosen inside one function of the kernel, as many as without the
// plugin, until LLVM's optimisation of OpenMP has run. Behind it there are two, so that neither version of the loops takes the registers of the other.
// RUN: %compile-device-nog %s > %t.bc
// RUN: %opt -passes='ipda,verify' -S %t.bc -o - | %FileCheck %s --check-prefix=FRONT
// RUN: %opt -passes='default<O2>' -S %t.bc -o - | %FileCheck %s --check-prefix=BEHIND

#define SCHEDULE(name, directive) \
  void name(int n, int m, float *A, const float *x) { \
    _Pragma(directive) \
    for (int i = 0; i < n; ++i) \
      for (int j = 0; j < m; ++j) \
        A[i * m + j] = x[i] + j; \
  }

SCHEDULE(block_of_a_chunk, "omp target teams distribute parallel for schedule(static)")
SCHEDULE(blocks_of_teams, "omp target teams distribute parallel for dist_schedule(static)")
SCHEDULE(chunks_of_teams, "omp target teams distribute parallel for dist_schedule(static, 64)")

void sum_in_chunks(int n, int m, const int *B, int *out) {
  int s = *out;
#pragma omp target teams distribute parallel for dist_schedule(static, 64) reduction(+: s) map(tofrom: s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      s += B[i * m + j];
  *out = s;
}

// Row i uses what row i + 1 was before, which a thread that has both in this order keeps right.
#define ROWS(name, directive) \
  void name(int n, int m, float *A) { \
    _Pragma(directive) \
    for (int i = 0; i < n; ++i) \
      for (int j = 0; j < m; ++j) \
        A[i * m + j] = A[(i + 1) * m + j] + 1; \
  }

ROWS(any_order, "omp target teams distribute parallel for")
ROWS(in_order, "omp target teams distribute parallel for dist_schedule(static)")
ROWS(in_order_of_chunks, "omp target teams distribute parallel for dist_schedule(static, 64)")
ROWS(in_order_of_threads, "omp target teams distribute parallel for schedule(static)")

// The last row that writes to a place is the last one in the order.
void to_one_place(int n, int m, float *restrict A, const float *restrict B) {
#pragma omp target teams distribute parallel for dist_schedule(static)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      A[j] = B[i * m + j];
}

// CHECK: region 'block_of_a_chunk'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'x and A do not overlap'
// CHECK: region 'blocks_of_teams'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'x and A do not overlap'
// CHECK: if 'n*m < 2^31 - 2^20'
// CHECK: region 'chunks_of_teams'
// CHECK: transformation possible threads i j
// CHECK-NEXT: if 'x and A do not overlap'
// CHECK: if 'n*m < 2^29'
// CHECK: region 'sum_in_chunks'
// CHECK: transformation possible threads i j
// CHECK: region 'any_order'
// CHECK: transformation possible threads i j
// CHECK: region 'in_order'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop's schedule says in which order iterations run, and they may need each other'
// CHECK-NEXT: because '{{.*}}(anti dependence of A
// CHECK: region 'in_order_of_chunks'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop's schedule says in which order iterations run, and they may need each other'
// CHECK: region 'in_order_of_threads'
// CHECK: transformation left
// CHECK-NEXT: because 'the loop's schedule says in which order iterations run, and they may need each other'
// CHECK: region 'to_one_place'
// CHECK-NOT: transformation possible

// FRONT: define internal void @{{.*}}_chunks_of_teams_{{.*}}_omp_outlined.ipda({{.*}} [[CHOOSES:#[0-9]+]] {
// FRONT: call void @__kmpc_distribute_static_init_4(
// FRONT-NOT: call void @__kmpc_distribute_static_init_4(
// FRONT: {{^[}]}}
// FRONT: attributes [[CHOOSES]] = {{.*}}"ipda-choice"=

// BEHIND: define {{.*}}void @{{.*}}_chunks_of_teams_
// BEHIND-COUNT-2: call void @__kmpc_distribute_static_init_4(
// BEHIND-NOT: call void @__kmpc_distribute_static_init_4(
// BEHIND: {{^[}]}}
// BEHIND-NOT: ipda-choice
