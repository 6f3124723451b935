// RUN: %compile-device-nog %s | %opt -passes='ipda,verify' -S | %FileCheck %s
// RUN: %compile-device-nog %s | env IPDA_TRANSFORM=on,first=off %opt -passes='ipda,verify' -S | %FileCheck %s --check-prefix=OFF
// RUN: %ipda-oracle transform --schedules %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %ipda-oracle transform --schedules --optimised %s | %FileCheck %s --check-prefix=JUDGE
// RUN: %not %ipda-oracle transform --schedules --mutant stride-of-team %s | %FileCheck %s --check-prefix=MUTANT
//
// A team starts one parallel region for all iterations of a loop that it shares with its threads, and these go on by the number of all threads.

#include <omp.h>

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

// A reduction combines a thread's copy once for all its iterations, as long as these only update it. Parts of sums meet that did not before, and what
// was promised of the sums on the way holds no more.
// CHECK: define {{.*}}sum_l{{[0-9]+}}_omp_outlined(
// CHECK-NOT: call void @__kmpc_distribute_static_init
// CHECK: call void @__kmpc_parallel_51
// CHECK: define {{.*}}sum_l{{[0-9]+}}_omp_outlined_omp_outlined(
// CHECK-NOT: call void @__kmpc_for_static_init
// CHECK-NOT: add nsw i64
// CHECK: call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2
// CHECK-NOT: add nsw i64
long sum(int n, const int *a) {
  long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}

// CHECK: define {{.*}}greatest_l{{[0-9]+}}_omp_outlined(
// CHECK-NOT: call void @__kmpc_distribute_static_init
// CHECK: define {{.*}}greatest_l{{[0-9]+}}_omp_outlined_omp_outlined(
float greatest(int n, const float *a) {
  float greatest = a[0], total = 0;
#pragma omp target teams distribute parallel for reduction(max : greatest) reduction(+ : total)
  for (int i = 0; i < n; ++i) {
    if (a[i] > greatest)
      greatest = a[i];
    total += a[i];
  }
  return greatest + total;
}

// Sums on the way are read here: they are those of the chunk.
// CHECK: define {{.*}}running_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
int running(int n, const int *a, int *b) {
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    sum += a[i];
    b[i] = sum;
  }
  return sum;
}

// Another operation than the clause's.
// CHECK: define {{.*}}other_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
int other(int n, const int *a) {
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum = 2 * sum + a[i];
  return sum;
}

// A copy whose address is known elsewhere.
// CHECK: define {{.*}}by_address_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
int by_address(int n, const int *a) {
  int sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    int *part = &sum;
    *part += a[i];
  }
  return sum;
}

// CHECK: define {{.*}}members_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
float members(int n, const float *a) {
  float sums[2] = {0, 0};
#pragma omp target teams distribute parallel for reduction(+ : sums)
  for (int i = 0; i < n; ++i)
    sums[i & 1] += a[i];
  return sums[0] - sums[1];
}

// Each chunk begins with new variables of the threads.
// CHECK: define {{.*}}kept_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void kept(int n, int seen, int *a) {
#pragma omp target teams distribute parallel for firstprivate(seen)
  for (int i = 0; i < n; ++i)
    a[i] = seen++;
}

// A thread that waits for the others of its team in each of its iterations, which nobody may, keeps the end of each chunk for that, too.
// CHECK: define {{.*}}wait_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
#pragma omp begin declare target
void meet(void) {
#pragma omp barrier
}
#pragma omp end declare target
void wait(int n, float *a) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; ++i) {
    meet();
    a[i] *= 2;
  }
}

// A copy in memory that a team shares.
// CHECK: define {{.*}}shared_copy_l{{[0-9]+}}_omp_outlined(
// CHECK: call void @__kmpc_distribute_static_init
void shared_copy(int n, float s, float *a) {
#pragma omp target teams distribute parallel for thread_limit(1) uses_allocators(omp_pteam_mem_alloc) firstprivate(s) allocate(omp_pteam_mem_alloc : s)
  for (int i = 0; i < n; ++i) {
    s += a[i];
    a[i] = s;
  }
}

// JUDGE: launches compared, 0 wrong
// MUTANT: {{[1-9][0-9]*}} wrong
