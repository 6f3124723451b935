// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %compile-device-nog %s | env IPDA_TRANSFORM=on,first=off %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=OFF
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %not %ipda-oracle transform --schedules --mutant stride-of-team %s | %FileCheck %s --check-prefix=MUTANT
//
// A team starts one parallel region for all iterations of a loop that it shares with its threads, and these go on by the number of all threads.

// CHECK: define {{.*}}first_l{{[0-9]+}}_omp_outlined(
// CHECK-NOT: call void @__kmpc_distribute_static_init
// CHECK: call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK-NOT: call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
// CHECK: call void @__kmpc_parallel_51
// CHECK: define {{.*}}first_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK-NOT: call void @__kmpc_for_static_init
// CHECK: call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
// CHECK: call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
// CHECK-NOT: urem
// CHECK: call void @__kmpc_for_static_fini
// OFF: define {{.*}}first_l{{[0-9]+}}_omp_outlined(
// OFF: call void @__kmpc_distribute_static_init_4(
// OFF: define {{.*}}first_l{{[0-9]+}}_omp_outlined_omp_outlined(
// OFF: call void @__kmpc_for_static_init_4(
void first(int n, float *a) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}

// Who has the last iteration is still reported.
// CHECK: define {{.*}}last_l{{[0-9]+}}_omp_outlined(
// CHECK: udiv i64
// CHECK: urem i64
// CHECK: define {{.*}}last_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK: urem i64
int last(int n, const int *a, int *b) {
  int x = -1;
#pragma omp target teams distribute parallel for lastprivate(x) map(tofrom : x)
  for (int i = 0; i < n; ++i) {
    x = a[i] + i;
    b[i] = x;
  }
  return x;
}

// CHECK: define {{.*}}unsigned_pair_l{{[0-9]+}}_omp_outlined(
// CHECK-NOT: call void @__kmpc_distribute_static_init
// CHECK: define {{.*}}unsigned_pair_l{{[0-9]+}}_omp_outlined_omp_outlined(
void unsigned_pair(unsigned n, unsigned m, float *a) {
#pragma omp target teams distribute parallel for simd collapse(2)
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < m; ++j)
      a[i * m + j] *= 0.5f;
}

// A chunk of the program's own, threads that the program numbers, and what counts on the end of a chunk stay as they are.
// CHECK: define {{.*}}chunks_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void chunks(int n, float *a) {
#pragma omp target teams distribute parallel for dist_schedule(static, 64)
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}

// CHECK: define {{.*}}threads_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void threads(int n, float *a) {
#pragma omp target teams distribute parallel for num_threads(64)
  for (int i = 0; i < n; ++i)
    a[i] *= 2;
}

// CHECK: define {{.*}}in_turn_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void in_turn(int n, int *count) {
#pragma omp target teams distribute parallel for map(tofrom : count[0 : 1])
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    *count += i;
  }
}

// Each chunk begins with new variables of the threads, and ends a reduction.
// CHECK: define {{.*}}sum_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
long sum(int n, const int *a) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}

// CHECK: define {{.*}}kept_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void kept(int n, int seen, int *a) {
#pragma omp target teams distribute parallel for firstprivate(seen)
  for (int i = 0; i < n; ++i)
    a[i] = seen++;
}

// JUDGE: launches compared, 0 wrong
// MUTANT: {{[1-9][0-9]*}} wrong
